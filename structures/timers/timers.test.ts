import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, lawBrokenBy, mutantsOf } from "../catalog.ts";
import recordTouch from "./competitors/record-touch.ts";
import { MAX_CAPACITY, nextGeneration, placeMask } from "./parts/handles.ts";
import { privateTimers } from "./timers.contract.ts";
import { examination } from "./timers.examination.ts";
import * as laws from "./timers.laws.ts";

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

suite("timers: mutants", async () => {
  const caught = new Set<string>();
  for (const entry of mutantsOf("timers")) {
    const breaks = await lawBrokenBy(entry);
    caught.add(breaks);
    test(`${entry.name} breaks ${breaks}`, async () => {
      const broken = await examination.examine(entry.url);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `it broke only: ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  test("every law has a mutant", () => {
    assert.deepEqual([...caught].sort(), Object.keys(laws).sort());
  });
});
