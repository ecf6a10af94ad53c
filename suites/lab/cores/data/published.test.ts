import assert from "node:assert/strict";
import { test } from "node:test";
import { competitorsOf } from "../../../../structures/catalog.ts";
import { coresOf } from "../machine/machine.ts";
import { MACHINES } from "./machines.ts";
import { type Claim, claimedRatio, holds, PUBLISHED, publishedThroughput, said } from "./published.ts";

for (const published of PUBLISHED) {
  for (const claim of published.claims)
    test(`${published.name}: ${said(claim)}`, () => {
      const ratio = claimedRatio(claim, (place) => publishedThroughput(published, place));
      assert.ok(ratio !== undefined && holds(claim, ratio), `published: ${ratio}`);
    });

  test(`each curve of ${published.name} has a competitor, and threads from few to many`, () => {
    const known = new Set(competitorsOf(published.ours.primitive).map(({ name }) => name));
    for (const { competitor, points } of published.curves) {
      assert.ok(known.has(competitor), competitor);
      const threads = points.map(([threads]) => threads);
      assert.deepEqual(
        threads,
        [...new Set(threads)].toSorted((a, b) => a - b),
      );
      assert.ok(points.every(([, value]) => value > 0));
    }
    assert.ok(MACHINES.some(({ name }) => name === published.ours.machine));
  });

  test(`workers of ${published.name} wait for a core where its threads did`, () => {
    const cores = coresOf(MACHINES.find(({ name }) => name === published.ours.machine)!);
    for (const { threads, workers = threads } of published.claims.flatMap(({ of, over }) => [of, over]))
      assert.equal(workers > cores, threads > published.cores, `${threads} threads, ${workers} workers`);
  });
}

const CLAIM: Claim = {
  of: { competitor: "a", threads: 64 },
  over: { competitor: "b", threads: 64 },
  atLeast: 1.5,
};

test("a claim has no ratio where one of its places has no figure", () => {
  const throughputs = new Map([["a", 6]]);
  const ratio = () => claimedRatio(CLAIM, ({ competitor }) => throughputs.get(competitor));
  assert.equal(ratio(), undefined);
  throughputs.set("b", 4);
  assert.equal(ratio(), 1.5);
});

test("a claim holds at its bounds and between them", () => {
  const within = { ...CLAIM, atMost: 2 };
  assert.deepEqual(
    [1.49, 1.5, 2, 2.01].map((ratio) => holds(within, ratio)),
    [false, true, true, false],
  );
  assert.ok(holds(CLAIM, 1000));
});

test("a claim says what it compares", () => {
  assert.equal(said(CLAIM), "at 64 threads `a` has at least 1.5 times the throughput of `b`");
  assert.equal(
    said({ of: { competitor: "a", threads: 64 }, over: { competitor: "a", threads: 8 }, atMost: 0.5 }),
    "`a` has with 64 threads at most 0.5 times its throughput with 8",
  );
});

test("what was not published is not asked for", () => {
  assert.throws(
    () => publishedThroughput(PUBLISHED[0]!, { competitor: "cas-ring", threads: 5 }),
    /adds-graviton has no cas-ring at 5 threads/,
  );
});
