import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { mutated } from "../shared/mutated.ts";
import recordTouch from "./competitors/record-touch.ts";
import { MAX_CAPACITY, nextGeneration, placeMask } from "./parts/handles.ts";
import { privateLaws } from "./parts/private-set.ts";
import { privateTimers, type TimersCompetitor } from "./timers.contract.ts";
import { examination } from "./timers.examination.ts";
import * as laws from "./timers.laws.ts";
import { mutants } from "./timers.mutants.ts";

suite("timers: every competitor keeps every law", () => {
  for (const { name, url } of competitorsOf("timers"))
    test(name, async () => assert.deepEqual(await examination.examine(url), []));
});

test("timers: generations of a handle go from the last to the first, and are positive", () => {
  for (const capacity of [1, 2, 3, 64, 1000, 100_000, MAX_CAPACITY]) {
    const mask = placeMask(capacity);
    for (const place of new Set([0, mask >>> 1, mask])) {
      const first = mask + 1 + place;
      const last = (0x7fff_ffff & ~mask) | place;
      assert.equal(nextGeneration(place, mask), first);
      assert.equal(nextGeneration(last - mask - 1, mask), last);
      assert.equal(nextGeneration(last, mask), first);
    }
  }
});

test("timers: a private set without a capacity is told in a line", () => {
  for (const [none, shown] of [
    [undefined, "undefined"],
    [{}, "{}"],
    [Number.NaN, "NaN"],
  ] as const)
    assert.throws(() => privateTimers(recordTouch, none as number), {
      name: "RangeError",
      message: `a capacity is an integer from 1 to ${MAX_CAPACITY}, not ${shown}`,
    });
});

/** What goes unseen until ticks come round to 0, in competitors of which the place is no method to override. */
const FAULTS: Readonly<Record<string, { name: string; from: string; to: string; breaks: string }>> = {
  "block numbers that do not wrap": {
    name: "two-wheels",
    from: "(block - (clock >>> BLOCK_SHIFT)) & BLOCK_NUMBERS",
    to: "block - (clock >>> BLOCK_SHIFT)",
    breaks: "neverEarly",
  },
  "the next block's number does not wrap": {
    name: "two-wheels",
    from: "((tick >>> BLOCK_SHIFT) + 1) & BLOCK_NUMBERS",
    to: "(tick >>> BLOCK_SHIFT) + 1",
    breaks: "withinLateness",
  },
  "more slots in the last level than there are ticks for": {
    name: "non-cascading-wheel",
    from: "const LAST_LEVEL_SLOTS = 32;",
    to: "const LAST_LEVEL_SLOTS = 64;",
    breaks: "wakesInTime",
  },
};

suite("timers: faults where ticks come round are found", () => {
  for (const [what, { name, from, to, breaks }] of Object.entries(FAULTS)) {
    test(`${name}: ${what}`, async () => {
      const { url } = competitorsOf("timers").find((entry) => entry.name === name)!;
      const broken = await privateLaws(await mutated<TimersCompetitor>(url, [from, to]));
      assertBroken(
        breaks,
        broken.filter((sentence) => sentence !== undefined),
      );
    });
  }
});

suite("timers: mutants", () => {
  // Those of a crew are in timers.crew.test.ts.
  const alone = mutants.filter(({ isRacy }) => !isRacy);
  for (const { name, url, breaks } of alone)
    test(`${name} breaks ${breaks}`, async () => assertBroken(breaks, await examination.examine(url)));

  test("every law has a mutant", () => {
    const caught = new Set(alone.map(({ breaks }) => breaks));
    assert.deepEqual([...caught].sort(), Object.keys(laws).sort());
  });
});
