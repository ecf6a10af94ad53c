import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup, syntheticRecord } from "../../suites/engine/judge/judge.synthetic.ts";
import { judgedRecord } from "../../suites/engine/judge/judge.ts";
import { recordPage } from "../../suites/engine/render/pages/pages.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import {
  type BenchRecord,
  checkRecord,
  machinesOf,
  type SurveyRecord,
} from "../../suites/engine/schema/record.ts";
import { mergeRecords } from "../../suites/lab/store/merge.ts";
import { linesOf } from "./history.ts";

const truth = { workers: 1, forks: 2, rounds: 4, sliceNoise: 0.01, forkNoise: 0.01, roundNoise: 0.1 };

/** A record of one made-up scenario. */
function recordOf(scenario: string, other: Partial<BenchRecord> = {}): BenchRecord {
  const group = syntheticGroup({ ...truth, costsNs: { baseline: 20, rival: 10 }, seed: 5 });
  const named = {
    ...group,
    scenario,
    cells: group.cells.map((cell) => ({ ...cell, name: cell.name.replace("/test/", `/${scenario}/`) })),
  };
  return { ...syntheticRecord([named], 1), ...other };
}

const machine = recordOf("a").machine;
const elsewhere = { ...machine, slug: "other-4c-8g", cpu: "Other", cores: 4 };
const survey: SurveyRecord = {
  primitive: "synthetic",
  scenario: "bytes",
  title: "made up",
  metrics: {},
  cells: [{ name: "synthetic/bytes/baseline", competitor: "baseline", baseline: true, forks: [] }],
};
const first = recordOf("a", { command: "npm run nightly -- --shard 1/3", seed: 11 });
const second = recordOf("b", {
  command: "npm run nightly -- --shard 2/3",
  seed: 22,
  startedAt: "2026-11-20T12:00:05.000Z",
  finishedAt: "2026-11-20T12:09:00.000Z",
  machine: elsewhere,
  surveys: [survey],
  before: { loadAverage: [1, 1, 1], stealSeconds: 5 },
  after: { loadAverage: [2, 2, 2], stealSeconds: 6 },
});
const third = recordOf("c", {
  command: "npm run nightly -- --shard 3/3",
  seed: 33,
  startedAt: "2026-11-20T12:00:07.000Z",
});

const named = (...records: readonly BenchRecord[]) =>
  records.map((record, index) => ({ name: `${index + 1}.json`, record }));
const merged = mergeRecords(named(first, second, third));

describe("a merged record", () => {
  it("is a record with all parts, from the first beginning to the last end", () => {
    assert.deepEqual(checkRecord(JSON.parse(JSON.stringify(merged)), "it"), merged);
    assert.deepEqual(
      merged.groups.map(({ scenario }) => scenario),
      ["a", "b", "c"],
    );
    assert.deepEqual([merged.startedAt, merged.finishedAt], [first.startedAt, second.finishedAt]);
    assert.equal(merged.seed, 11);
    assert.equal(merged.command, [first, second, third].map(({ command }) => command).join("; "));
    assert.equal(merged.interrupted, false);
    assert.deepEqual(merged.before, { ...first.before, stealSeconds: null });
    assert.deepEqual(merged.after, { ...second.after, stealSeconds: null });
  });

  it("says of all what disturbed the one that was disturbed most", () => {
    const disturbed = (record: BenchRecord, othersCores: number) => ({
      ...record,
      after: { ...record.after, seconds: 9, othersCores },
    });
    const noisy = [disturbed(first, 0.5), disturbed(second, 0.1), disturbed(third, 0.2)];
    const { after } = mergeRecords(named(...noisy));
    assert.deepEqual(after, { ...second.after, stealSeconds: null, seconds: 9, othersCores: 0.5 });
    const inTwo = mergeRecords(named(noisy[1]!, mergeRecords(named(noisy[2]!, noisy[0]!))));
    assert.deepEqual(inTwo.after, after);
  });

  it("is the same in whichever order its parts are given, and in however many steps", () => {
    const orders = [
      [second, first, third],
      [third, second, first],
      [second, third, first],
    ];
    for (const order of orders) assert.deepEqual(mergeRecords(named(...order)), merged);
    const inTwo = mergeRecords(named(third, mergeRecords(named(second, first))));
    assert.deepEqual({ ...inTwo, command: "" }, { ...merged, command: "" });
    // Of two that began and ended at once, too.
    const alike = [recordOf("x"), recordOf("y")];
    assert.deepEqual(mergeRecords(named(...alike)), mergeRecords(named(...alike.toReversed())));
  });

  it("says which part was made on which machine", () => {
    assert.deepEqual(merged.machine, machine);
    assert.deepEqual(merged.machines, [machine, elsewhere]);
    assert.deepEqual(
      merged.groups.map((group) => group.machine),
      [undefined, "other-4c-8g", undefined],
    );
    assert.equal(merged.surveys![0]!.machine, "other-4c-8g");
    assert.deepEqual(
      [...new Set(linesOf(merged).map(({ cell, machine: slug }) => `${cell.split("/")[1]} ${slug}`))],
      ["a made-up-2c-1g", "b other-4c-8g", "c made-up-2c-1g"],
    );
    const page = recordPage("Results", judgedRecord(merged), "it");
    assert.match(page, /^- Machine: Made Up, 2 cores.*\n- Machine: Other, 4 cores/m);
    assert.match(page, /synthetic\/b: made up\n\nRaced at 1w on Other\.\n/);
  });

  it("names one machine where there is but one, as other records do", () => {
    const one = mergeRecords(named(first, third));
    assert.equal(one.machines, undefined);
    assert.ok(one.groups.every((group) => !("machine" in group)));
    assert.deepEqual(machinesOf(one), [machine]);
    assert.doesNotMatch(recordPage("Results", judgedRecord(one), "it"), /Raced at/);
  });

  it("is interrupted if any part of it was", () => {
    assert.equal(mergeRecords(named(first, { ...third, interrupted: true })).interrupted, true);
    const resumedAt = ["2026-11-20T13:00:00.000Z"];
    assert.deepEqual(mergeRecords(named(first, { ...third, resumedAt })).resumedAt, resumedAt);
  });

  it("of one record is that record, whatever its tree was like", () => {
    const dirty = { ...first, commit: { ...first.commit!, dirty: true } };
    assert.deepEqual(mergeRecords(named(dirty)), dirty);
  });

  it("may have parts without a group: a shard that had nothing to do", () => {
    const idle = { ...third, groups: [] };
    assert.equal(mergeRecords(named(first, idle)).groups.length, 1);
  });

  it("has each primitive's overview once", () => {
    const overview = { primitive: "synthetic", title: "t", variants: [], columns: [] };
    const own = { ...overview, primitive: "other" };
    const one = mergeRecords(
      named({ ...first, overviews: [overview] }, { ...third, overviews: [overview, own] }),
    );
    assert.deepEqual(one.overviews, [overview, own]);
    const differing = named(
      { ...first, overviews: [overview] },
      { ...third, overviews: [{ ...overview, title: "u" }] },
    );
    assert.throws(() => mergeRecords(differing), /1\.json and 2\.json differ in the overview of synthetic/);
  });
});

describe("records that do not belong together are refused in one line that says why", () => {
  const { hash } = first.commit!;
  for (const [what, other, message] of [
    [
      "commit",
      { commit: { hash: "f".repeat(40), dirty: false } },
      /differ in their commit \(0123.* and f+\)/,
    ],
    ["uncommitted changes", { commit: { hash, dirty: true } }, /2\.json was made with uncommitted changes/],
    ["no commit", { commit: null }, /2\.json was made outside a git work tree/],
    [
      "runtime",
      { runtime: { ...first.runtime, version: "25.0.0" } },
      /runtime \(Node\.js 24.* and Node\.js 25/,
    ],
    ["flags", { runtime: { ...first.runtime, flags: ["--harmony"] } }, /runtime \(.* and .*--harmony\)/],
    ["method", { methodVersion: 1 }, new RegExp(`method version \\(${METHOD_VERSION} and 1\\)`)],
    ["profile", { profile: "quick" }, /profile \(standard and quick\)/],
    ["size", { size: "smoke" }, /size \(full and smoke\)/],
  ] as const) {
    it(what, () => {
      const records = named(first, { ...third, ...other } as BenchRecord);
      assert.throws(
        () => mergeRecords(records),
        (error: Error) => message.test(error.message) && !error.message.includes("\n"),
      );
    });
  }

  it("a cell in two of them", () => {
    assert.throws(
      () => mergeRecords(named(first, third, { ...first, startedAt: third.finishedAt })),
      /synthetic\/a\/baseline\/1w is in both 1\.json and 3\.json/,
    );
    const surveyed = { ...second, groups: [], startedAt: third.finishedAt };
    assert.throws(() => mergeRecords(named(second, surveyed)), /synthetic\/bytes\/baseline is in both/);
  });

  it("none at all", () => {
    assert.throws(() => mergeRecords([]), /no record/);
  });
});
