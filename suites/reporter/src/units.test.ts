import assert from "node:assert/strict";
import { test } from "node:test";
import { MEMORY_UNITS, readableUnit, TIME_UNITS } from "./units.ts";

const TIMES = Object.values(TIME_UNITS);

test("the readable unit is the largest in which no figure is below one", () => {
  const symbolOf = (...figures: number[]) => readableUnit(figures, TIMES).symbol;
  assert.equal(symbolOf(12, 4_000_000), "ns");
  assert.equal(symbolOf(999.9), "ns");
  assert.equal(symbolOf(1000, 4_000_000), "µs");
  assert.equal(symbolOf(4_000_000, 5_000_000_000), "ms");
  assert.equal(symbolOf(5_000_000_000), "s");
  assert.equal(readableUnit([1500, 2_000_000], MEMORY_UNITS).symbol, "kB");
});

test("zeros have no say, and what is below one in every unit has the smallest", () => {
  assert.equal(readableUnit([0, 2000], TIMES).symbol, "µs");
  assert.equal(readableUnit([0.2, 2000], TIMES).symbol, "ns");
  assert.equal(readableUnit([0], TIMES).symbol, "ns");
  assert.equal(readableUnit([], TIMES).symbol, "ns");
});
