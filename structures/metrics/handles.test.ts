import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertBroken } from "../shared/broken.ts";
import { type Edit, mutatedIn } from "../shared/mutated.ts";
import examined from "./handles.examination.ts";
import * as laws from "./handles.laws.ts";

interface Mutant {
  readonly breaks: keyof typeof laws;
  /** Below the parts of metrics. */
  readonly file: string;
  readonly edits: readonly Edit[];
}

/** What is wrong with each, by name. */
const MUTANTS: Readonly<Record<string, Mutant>> = {
  "counts two series in one cell": {
    breaks: "shownAsPromClient",
    file: "labels.ts",
    edits: [["series * places[at]!.size + place", "series + place"]],
  },
  "puts a value that is a bound of the user's into the bucket above": {
    breaks: "shownAsPromClient",
    file: "buckets.ts",
    edits: [["findIndex((bound) => value <= bound)", "findIndex((bound) => value < bound)"]],
  },
  "keeps the name that OpenMetrics gave it": {
    breaks: "shownAsPromClient",
    file: "prometheus.ts",
    edits: [["this.#shortened = undefined;", ""]],
  },
  "shares the doubles of two series": {
    breaks: "shownAsPromClient",
    file: "layout.ts",
    edits: [["double + at * doublesEach", "double"]],
  },
  "has a value at the least of its range in the bucket that begins at 0": {
    breaks: "quantilesAreRecorded",
    file: "buckets.ts",
    edits: [["const lowest = exponentAbove(from) - 1;", "const lowest = exponentOf(from);"]],
  },
  "answers the middle of the bucket, wherever the values are": {
    breaks: "quantilesAreRecorded",
    file: "readings.ts",
    edits: [
      ["Math.min(max, Math.max(min, quantileOf(buckets, counts, q)))", "quantileOf(buckets, counts, q)"],
    ],
  },
  "takes a least of 0 for none": {
    breaks: "extremesAreRecorded",
    file: "doubles.ts",
    edits: [["-(value + 0)", "-value"]],
  },
  "forgets the extremes of whoever had the seat before": {
    breaks: "extremesAreRecorded",
    file: "doubles.ts",
    edits: [["if (value > this.#greatest) {", "if (value !== this.#greatest) {"]],
  },
  "reads the gauges of those that have left": {
    breaks: "gaugesAreOfHolders",
    file: "readings.ts",
    edits: [["doublesOf(metric, series, holders())", "doublesOf(metric, series, everyone)"]],
  },
  "begins where whoever had the seat before has ended": {
    breaks: "gaugesAreOfHolders",
    file: "handles.ts",
    edits: [["  set(0);\n", ""]],
  },
  "records milliseconds": {
    breaks: "timersCountSeconds",
    file: "handles.ts",
    edits: [["(performance.now() - beganMs) / 1000", "performance.now() - beganMs"]],
  },
  "stores a double in two halves": {
    breaks: "doublesAreWhole",
    file: "doubles.ts",
    edits: [
      [
        "Atomics.store(this.#words, at, this.#bits[0]!);",
        "const halves = new Int32Array(this.#words.buffer, this.#words.byteOffset); const own = new Int32Array(this.#bits.buffer); Atomics.store(halves, 2 * at, own[0]!); Atomics.store(halves, 2 * at + 1, own[1]!);",
      ],
    ],
  },
  "counts a value before it is among the extremes": {
    breaks: "extremesCoverBuckets",
    file: "own.ts",
    edits: [
      ["      extremes.include(value);\n", ""],
      [
        "      cells.add(first + 1 + buckets.indexOf(value), 1);\n",
        "      cells.add(first + 1 + buckets.indexOf(value), 1);\n      extremes.include(value);\n",
      ],
    ],
  },
};

describe("metrics with labels, gauges and quantiles", () => {
  it("keep every law", async () => assert.deepEqual(await examined(), []));

  for (const [what, { breaks, file, edits }] of Object.entries(MUTANTS)) {
    it(`a mutant that ${what} is caught by ${breaks}`, async () => {
      const url = new URL("handles.examination.ts", import.meta.url).href;
      const mutant = await mutatedIn<typeof examined>(`metrics/parts/${file}`, url, ...edits);
      assertBroken(breaks, await mutant());
    });
  }

  it("and every law has a mutant", () => {
    const broken = new Set(Object.values(MUTANTS).map(({ breaks }) => breaks));
    assert.deepEqual([...broken].sort(), Object.keys(laws).sort());
  });
});
