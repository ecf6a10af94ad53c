import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, contractOf, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import {
  type Attribution,
  attributed,
  type Capacity,
  type ClaimsCompetitor,
  CONFLICT,
  inferred,
  isInferred,
  NO_EVIDENCE,
  NOBODY,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";
import * as lawsModule from "./ownership.laws.ts";
import { answersAreRight, answersFollowClaims, claimsAreKept, trimsForget } from "./ownership.laws.ts";
import { LAWS_OF_LOGS, openLog } from "./parts/logs.ts";
import { answersOf, claimAll, LAWS_OF_CLAIMS, lawsFor, open, openPair, SMALL } from "./parts/searches.ts";
import { allocateStream, exportClaims, rebuild } from "./parts/stream.ts";

const contract = await contractOf("ownership");
const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;
const competitors = await Promise.all(
  competitorsOf("ownership").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const mutants = await Promise.all(
  mutantsOf("ownership").map(async (mutant) => ({
    name: mutant.name,
    competitor: await load(mutant.url),
    breaks: await lawBrokenBy(mutant),
  })),
);

/** What a competitor does to the law of that name, whichever kind of news it hears. */
function breach(law: string, competitor: OwnershipCompetitor): string | undefined {
  return competitor.hears === "claims"
    ? LAWS_OF_CLAIMS[law as keyof typeof LAWS_OF_CLAIMS]?.(competitor)
    : LAWS_OF_LOGS[law]?.(competitor);
}

function looksAnywhere(handle: Attribution): void {
  for (const t of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0.5])
    for (const toleranceMs of [0, 10])
      assert.equal(handle.ownerAt(0, t, toleranceMs), NO_EVIDENCE, `at ${t} ms`);
  for (const resource of [2, -1, 0.5, Number.NaN])
    assert.throws(() => handle.ownerAt(resource, 5), RangeError, `resource ${resource}`);
  assert.throws(() => handle.trim(-1), RangeError);
  assert.throws(() => handle.trim(1.5), RangeError);
  assert.throws(() => handle.trim(Number.NaN), RangeError);
}

for (const { name, competitor } of competitors) {
  suite(name, () => {
    if (competitor.hears === "claims") testClaims(competitor);
    else {
      for (const [lawName, law] of Object.entries(LAWS_OF_LOGS))
        test(lawName, () => assert.equal(law(competitor), undefined));

      test("a bad change is a RangeError and changes nothing", () => {
        const log = openLog(competitor);
        log.change(0, 1, 10, 10);
        const bad: [number, number, number, number][] = [
          [0, 3, 20, 20],
          [0, -2, 20, 20],
          [0, 0.5, 20, 20],
          [2, 0, 20, 20],
          [0, 0, 20.5, 21],
          [0, 0, -1, 20],
          [0, 0, 20, Number.NaN],
          [0, 0, 2 ** 53, 20],
          [0, 0, 9, 9],
        ];
        for (const change of bad) assert.throws(() => log.change(...change), RangeError, String(change));
        looksAnywhere(log);
        log.change(1, NOBODY, 10 ** 6, 10 ** 6);
        assert.equal(log.ownerAt(0, 11), 1);
        assert.equal(log.ownerAt(0, 30), 1);
      });
    }
  });
}

function testClaims(competitor: ClaimsCompetitor): void {
  for (const [lawName, law] of Object.entries(lawsFor(competitor)))
    test(lawName, () => assert.equal(law(competitor), undefined));

  test("a bad claim is a RangeError and changes nothing", () => {
    const ownership = open(competitor, SMALL);
    ownership.claim(0, 1, 10, 20);
    ownership.claim(1, 2, 15, 30);
    const before = answersOf(ownership, SMALL);
    const bad: [number, number, number, number][] = [
      [0, 0, 5, 5],
      [0, 0, 6, 5],
      [0, 0, 1.5, 5],
      [0, 0, 1, 5.5],
      [0, 0, -1, 5],
      [0, 0, Number.NaN, 5],
      [0, 0, 0, 2 ** 53],
      [0, 0, 0, Number.POSITIVE_INFINITY],
      [2, 0, 1, 5],
      [-1, 0, 1, 5],
      [0.5, 0, 1, 5],
      [0, 4, 1, 5],
      [0, -1, 1, 5],
      [0, -3, 1, 5],
      [0, 0.5, 1, 5],
      ...(competitor.rule === "evidence" ? [] : [[0, CONFLICT, 1, 5] as [number, number, number, number]]),
    ];
    for (const claim of bad) assert.throws(() => ownership.claim(...claim), RangeError, String(claim));
    assert.throws(() => ownership.claim(0, 0, 5, 5), /end must be after start/);
    assert.throws(() => ownership.rangesOf(2), RangeError);
    looksAnywhere(ownership);
    assert.deepEqual(answersOf(ownership, SMALL), before);
    assert.equal(ownership.ownerAt(0, 19.5), 1, "a fraction belongs to its millisecond");
    assert.equal(ownership.ownerAt(0, 9.5), NO_EVIDENCE);
  });

  test("a watermark forgets what is before it and nothing else, for ever", () => {
    const ownership = open(competitor, SMALL);
    ownership.claim(0, 1, 10, 20);
    ownership.trim(15);
    ownership.trim(12);
    assert.deepEqual(
      [14, 15, 19, 20].map((t) => ownership.ownerAt(0, t)),
      [NO_EVIDENCE, 1, 1, NO_EVIDENCE],
    );
    assert.equal(ownership.claim(0, 2, 3, 15), false, "a claim that comes too late");
    assert.equal(ownership.claim(0, 1, 3, 16), true, "a claim that reaches into kept time");
    assert.equal(ownership.ownerAt(0, 14), NO_EVIDENCE);
    ownership.trim(1000);
    assert.equal(ownership.ownerAt(0, 1000), NO_EVIDENCE);
    ownership.claim(0, 3, 1001, 1001 + SMALL.windowMs - 1);
    assert.equal(ownership.ownerAt(0, 1001), 3);
  });

  test("a claim past the window is a RangeError that changes nothing, or is kept and answered", () => {
    for (const watermark of [0, 1, SMALL.windowMs, 3 * SMALL.windowMs + 5])
      for (const [start, end] of [
        [0, 1],
        [-SMALL.windowMs, 1],
        [-1, SMALL.windowMs],
        [SMALL.windowMs - 1, SMALL.windowMs],
      ] as const) {
        const ownership = open(competitor, SMALL);
        const top = watermark + SMALL.windowMs;
        const kept = { resource: 0, owner: 1, start: watermark, end: top };
        const past = { resource: 0, owner: 2, start: top + start, end: top + end };
        ownership.trim(watermark);
        claimAll(ownership, [kept]);
        const claims = [kept];
        try {
          claimAll(ownership, [past]);
          claims.push(past);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
        const answers = answersOf(ownership, SMALL, watermark);
        assert.equal(answersFollowClaims(competitor.rule, { claims, watermark }, answers), undefined);
      }
  });

  test("a range that lasts for months is one range, however often it is trimmed", (t) => {
    // 16 ms at a time would take too long: a window that is claimed and moved on, past 2^31 and 2^32 ms.
    const stepMs = 2 ** 26;
    const capacity = { ...SMALL, windowMs: stepMs };
    if (competitor.words(capacity) > 2 ** 20) {
      t.skip("a cell for each millisecond of such a window is too much memory for a test");
      return;
    }
    const long = open(competitor, capacity);
    for (let now = 0; now < 2 ** 33; now += stepMs) {
      long.claim(0, 1, now, now + stepMs);
      long.trim(now);
      assert.equal(long.ownerAt(0, now), 1);
      assert.equal(long.ownerAt(0, now + stepMs - 1), 1);
      assert.equal(long.ownerAt(0, now + stepMs), NO_EVIDENCE);
      assert.equal(long.ownerAt(0, now - 1), NO_EVIDENCE);
      assert.equal(long.ownerAt(1, now), NO_EVIDENCE);
    }
    assert.deepEqual(long.rangesOf(0), [{ start: 2 ** 33 - stepMs, end: 2 ** 33, owner: 1 }]);
  });

  test("more ranges than there is room for are a RangeError that loses nothing, or are kept", () => {
    const capacity: Capacity = { resources: 3, owners: 2, windowMs: 1 << 12, ranges: 12 };
    const ownership = open(competitor, capacity);
    const claims = [];
    for (let turn = 0; turn < 300; turn++) {
      const claim = { resource: turn % 3, owner: turn % 2, start: 8 * turn, end: 8 * turn + 4 };
      try {
        claimAll(ownership, [claim]);
        claims.push(claim);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
        assert.ok(turn >= capacity.ranges, `claim ${turn} does not fit where ${capacity.ranges} should`);
      }
    }
    const answers = answersOf(ownership, capacity).filter(({ t }) => t % 4 === 0);
    assert.equal(answersFollowClaims(competitor.rule, { claims, watermark: 0 }, answers), undefined);
    ownership.trim(3000);
    claimAll(
      ownership,
      Array.from({ length: 12 }, (_, turn) => ({
        resource: turn % 3,
        owner: 1,
        start: 3000 + 8 * turn,
        end: 3004 + 8 * turn,
      })),
    );
  });

  test("bytes, where they are told, are at least three words for each range kept", () => {
    const ownership = open(competitor, SMALL);
    for (let start = 0; start < SMALL.windowMs; start += 2) ownership.claim(0, 1, start, start + 1);
    const bytes = ownership.bytes?.();
    if (bytes === undefined) return;
    const least = 3 * Int32Array.BYTES_PER_ELEMENT * ownership.rangesOf(0).length;
    assert.ok(bytes >= least && bytes < 2 ** 20, `${bytes} B, at least ${least}`);
  });

  if (competitor.words(SMALL) === 0) return;
  test("what is in shared memory is all there is: a second worker sees it and can go on writing", () => {
    const [first, second] = openPair(competitor, SMALL);
    first.claim(0, 1, 10, 20);
    first.trim(12);
    second.claim(0, 2, 18, 30);
    first.claim(0, 3, 40, 44);
    second.claim(1, 0, 12, 13);
    second.trim(13);
    first.claim(0, 1, 31, 32);
    const claims = [
      { resource: 0, owner: 1, start: 10, end: 20 },
      { resource: 0, owner: 2, start: 18, end: 30 },
      { resource: 0, owner: 3, start: 40, end: 44 },
      { resource: 0, owner: 1, start: 31, end: 32 },
    ];
    for (const ownership of [first, second])
      assert.equal(
        answersFollowClaims("evidence", { claims, watermark: 13 }, answersOf(ownership, SMALL)),
        undefined,
      );
  });
}

suite("mutants", () => {
  for (const { name, competitor, breaks } of mutants)
    test(`${name} is caught by ${breaks}`, () => assert.notEqual(breach(breaks, competitor), undefined));

  for (const name of Object.keys({ ...LAWS_OF_CLAIMS, ...LAWS_OF_LOGS }))
    test(`${name} catches one`, () => assert.ok(mutants.some(({ breaks }) => breaks === name)));
});

test("policies break the laws of evidence, which is what they are here to show", async () => {
  for (const { name, competitor } of competitors) {
    if (competitor.hears !== "claims" || competitor.rule === "evidence") continue;
    assert.notEqual(breach("orderDoesNotMatter", competitor), undefined, name);
  }
});

/** Laws on totals, which only a race has, on numbers made by hand. */
const lawsOfTheRace: Record<string, () => void> = {
  claimsAreKept() {
    assert.equal(claimsAreKept(10, 10), undefined);
    assert.match(claimsAreKept(10, 9)!, /9 of 10/);
  },
  answersAreRight() {
    assert.equal(answersAreRight(10, 9, 1), undefined);
    assert.match(answersAreRight(10, 8, 1)!, /1 of 10 lookups gave a wrong answer/);
  },
  trimsForget() {
    assert.equal(trimsForget(0), undefined);
    assert.match(trimsForget(2)!, /2 lookups/);
  },
};

suite("laws of the race", () => {
  for (const [name, check] of Object.entries(lawsOfTheRace)) test(name, check);
});

/** What the laws are told in, and no laws themselves. */
const SPECIFICATION = ["inference", "logged", "ruling"];

test("every law has a mutant, or numbers made by hand", () =>
  assert.deepEqual(
    Object.keys(lawsModule).sort(),
    [
      ...Object.keys({ ...LAWS_OF_CLAIMS, ...LAWS_OF_LOGS }),
      ...Object.keys(lawsOfTheRace),
      ...SPECIFICATION,
    ].sort(),
  ));

test("the oracle is a competitor", () => assert.ok(competitors.some(({ name }) => name === contract.oracle)));

test("an inferred owner is told from a known one, and from none", () => {
  for (const owner of [0, 1, 2 ** 30]) {
    assert.ok(isInferred(inferred(owner)));
    assert.equal(attributed(inferred(owner)), owner);
    assert.equal(attributed(owner), owner);
    assert.ok(!isInferred(owner));
  }
  for (const none of [NO_EVIDENCE, CONFLICT]) {
    assert.ok(!isInferred(none));
    assert.equal(attributed(none), none);
  }
});

suite("streams", () => {
  const [competitor] = competitors.flatMap(({ competitor }) =>
    competitor.hears === "claims" && competitor.rule === "evidence" ? [competitor] : [],
  ) as [ClaimsCompetitor];

  test("a stream is made in the order of resources and times, whatever its own", () => {
    const capacity = { ...SMALL, windowMs: 10_000, ranges: 10_000 };
    // Fewer than are sorted by insertion, and more.
    for (const count of [10, 2000]) {
      const stream = allocateStream(count);
      for (let at = 0; at < count; at++) {
        stream.resources[at] = at % 2;
        stream.owners[at] = at % 3;
        stream.starts[at] = (at * 7919) % 9999;
        stream.ends[at] = stream.starts[at]! + 1;
      }
      const ownership = open(competitor, capacity);
      assert.equal(rebuild(ownership, capacity, stream), count);
      const direct = open(competitor, capacity);
      for (let at = 0; at < count; at++)
        direct.claim(stream.resources[at]!, stream.owners[at]!, stream.starts[at]!, stream.ends[at]!);
      for (const resource of [0, 1])
        assert.deepEqual(ownership.rangesOf(resource), direct.rangesOf(resource));
      const exported = exportClaims(ownership, capacity);
      assert.equal(exported.starts.length, ownership.rangesOf(0).length + ownership.rangesOf(1).length);
    }
  });

  test("a bad claim in a stream is refused as by claim", () => {
    const stream = allocateStream(1);
    stream.resources[0] = 7;
    stream.ends[0] = 1;
    assert.throws(() => rebuild(open(competitor, SMALL), SMALL, stream), /resource 7/);
  });
});
