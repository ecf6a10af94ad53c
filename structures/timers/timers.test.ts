import assert from "node:assert/strict";
import { test } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import { MAX_CAPACITY, nextGeneration, placeMask } from "./parts/handles.ts";
import { examination } from "./timers.examination.ts";
import * as laws from "./timers.laws.ts";
import { mutants } from "./timers.mutants.ts";

// Those of a crew are in timers.crew.test.ts.
const alone = mutants.filter(({ isRacy }) => !isRacy);
await testLaws({
  primitive: "timers",
  examination,
  mutants: alone,
  laws,
  examineMutant: examination.examine,
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
