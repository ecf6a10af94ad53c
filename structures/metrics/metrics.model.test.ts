import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted, plantedIn } from "../shared/mutants.ts";
import type { MetricsCompetitor } from "./metrics.contract.ts";
import { exploreMetrics, type MetricsLaw, metricsLaws, unexplored } from "./metrics.model.ts";

const CELLS = "metrics/parts/cells.ts";
const competitors = await loadCompetitors<MetricsCompetitor>("metrics");

const faults: Readonly<Record<string, Mutant<MetricsCompetitor, MetricsLaw>>> = {
  "a carry that is lost": plantedIn(CELLS, "own-lines", "addsAreConserved", [
    "const carry = lower > LOW_BITS ? 1 : 0;",
    "const carry = 0;",
  ]),
  "a high word that is not looked at again": plantedIn(CELLS, "own-lines", "readsAreWhole", [
    "if (Atomics.load(memory, at + (word < 0 ? 2 : 1) * apart) === high)",
    "",
  ]),
  "a low word that is loaded before the high words": plantedIn(
    "metrics/parts/cells.ts",
    "own-lines",
    "readsAreWhole",
    [
      "    const even = Atomics.load(memory, at + apart);\n",
      "    const word = Atomics.load(memory, at);\n    const even = Atomics.load(memory, at + apart);\n",
    ],
    [
      "    const odd = Atomics.load(memory, at + 2 * apart);\n    const word = Atomics.load(memory, at);\n",
      "    const odd = Atomics.load(memory, at + 2 * apart);\n",
    ],
  ),
  "a value that is counted before it is added to an int64": planted(
    "shared-atomics-add",
    "sumCoversBuckets",
    [
      "        Atomics.add(sum, 0, BigInt(buckets.unitsOf(value)));\n        Atomics.add(memory, BUCKETS + buckets.indexOf(value), 1);",
      "        Atomics.add(memory, BUCKETS + buckets.indexOf(value), 1);\n        Atomics.add(sum, 0, BigInt(buckets.unitsOf(value)));",
    ],
  ),
  "one high word for both tags": plantedIn(
    CELLS,
    "own-lines",
    "readsNeverFall",
    ["word < 0 ? [2, 1] : [1, 2]", "[1, 1]"],
    ["unused === 2 ? low + TAG : low", "low"],
  ),
  "a value that is counted before it is added": plantedIn(
    "metrics/parts/own.ts",
    "own-lines",
    "sumCoversBuckets",
    [
      "cells.add(first, buckets.unitsOf(value));\n      cells.add(first + 1 + buckets.indexOf(value), 1);",
      "cells.add(first + 1 + buckets.indexOf(value), 1);\n      cells.add(first, buckets.unitsOf(value));",
    ],
  ),
  "a high word that is stored after the low word": plantedIn(CELLS, "own-lines", "stoppingLosesNothing", [
    "Atomics.store(memory, at + unused * apart, isFull ? MOST_HIGH : high);\n    Atomics.store(memory, at, unused === 2 ? low + TAG : low);",
    "Atomics.store(memory, at, unused === 2 ? low + TAG : low);\n    Atomics.store(memory, at + unused * apart, isFull ? MOST_HIGH : high);",
  ]),
  "a high word that readers wait for, as for the version of a seqlock": plantedIn(
    CELLS,
    "own-lines",
    "nobodyIsHeldUp",
    [
      "Atomics.store(memory, at + unused * apart, isFull ? MOST_HIGH : high);",
      "Atomics.store(memory, at + unused * apart, -1); Atomics.store(memory, at + unused * apart, high);",
    ],
    [
      "const word = Atomics.load(memory, at);",
      "if (even < 0 || odd < 0) continue; const word = Atomics.load(memory, at);",
    ],
  ),
  "an overflow that waits for another to change the count": plantedIn(
    CELLS,
    "own-lines",
    "everyWorkerFinishes",
    ["const upper =", "while (Atomics.load(memory, at) === word); const upper ="],
  ),
};

describe("metrics: in every interleaving of workers and a reader", () => {
  for (const { name, competitor } of competitors) {
    const skip = unexplored(competitor) ?? false;
    it(`${name}: the laws hold`, { skip }, () => assert.deepEqual(exploreMetrics(competitor), []));
  }

  findsFaults("metrics", metricsLaws, faults, (mutant, { breaks }) => exploreMetrics(mutant, breaks));
});
