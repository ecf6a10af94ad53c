import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupOf, type SyntheticGroup, syntheticForks } from "./judge.synthetic.ts";
import { judgeScenario } from "./judge.ts";

/** What a process ran, and how many times as much that cost. */
type Way = readonly [version: string, factor: number];
const FAST: Way = ["1036", 1];
const SLOW: Way = ["968", 3.2];

const TRUTH: SyntheticGroup = {
  costsNs: { baseline: 20, rival: 18.2, other: 30 },
  workers: 1,
  forks: 14,
  rounds: 40,
  sliceNoise: 0.001,
  forkNoise: 0.0002,
  roundNoise: 0.01,
  seed: 7,
};

function times(count: number, way: Way): Way[] {
  return new Array<Way>(count).fill(way);
}

/** What is said of the row of a crew whose processes ran these ways, and of another row. */
function saidOf(ways: readonly Way[], crew = "rival", row = crew): readonly string[] {
  const forks = syntheticForks({ ...TRUTH, forks: ways.length }).map((crews, fork) => {
    const [version, factor] = ways[fork]!;
    return crews.map((own) => ({
      ...own,
      compiled: [own.name === crew ? version : "520'"],
      workers: own.workers.map((worker) => ({
        ...worker,
        operations: worker.operations.map((count) => (own.name === crew ? count / factor : count)),
      })),
    }));
  });
  const { rows } = judgeScenario([groupOf({ ...TRUTH, forks: ways.length }, forks)]);
  const judged = rows.find(({ competitor }) => competitor === row)!;
  return judged.noNumber === undefined ? [judged.verdict, ...judged.flags] : [];
}

describe("a row whose processes ran code of several versions", () => {
  const cases: readonly (readonly [string, readonly Way[], readonly string[]])[] = [
    [
      "is compiled in two ways where the versions cost differently",
      [...times(5, FAST), ...times(9, SLOW)],
      [
        "depends",
        "5 processes at x0.91 (0.91-0.91), 9 processes at x2.9 (2.9-2.9), distinguished by how V8 compiled it",
        "compiled in two ways: 18.2 ns in 5 of 14 processes, 58.3 ns in 9",
      ],
    ],
    [
      "is so with several versions on a side; of a rare one nothing is known",
      [...times(4, FAST), ...times(4, ["1040", 1.02]), ...times(4, SLOW), ...times(2, ["1200", 3.2])],
      [
        "depends",
        "8 processes at x0.92 (0.90-0.94), 6 processes at x2.9 (2.9-2.9), distinguished by how V8 compiled it",
        "compiled in two ways: 18.4 ns in 8 of 14 processes, 58.3 ns in 4",
      ],
    ],
    ["says nothing where all cost the same", [...times(7, FAST), ...times(7, ["968", 1])], ["faster"]],
    ["says nothing below 10 %", [...times(7, FAST), ...times(7, ["968", 1.05])], ["faster"]],
    [
      "says nothing where a version costs either",
      [...times(4, FAST), ...times(3, ["1036", 3.2]), ...times(3, SLOW), ...times(4, ["968", 1])],
      [
        "depends",
        "8 processes at x0.91 (0.91-0.91), 6 processes at x2.9 (2.9-2.9); nothing that was measured beside them tells these apart",
      ],
    ],
    [
      "says nothing of versions with fewer than three processes",
      [...times(12, FAST), ...times(2, SLOW)],
      ["faster", "2 of 14 processes not averaged: at x2.91, x2.91"],
    ],
    [
      "says nothing where nothing was noted",
      [...times(5, ["", 1]), ...times(9, ["", 3.2])],
      [
        "depends",
        "5 processes at x0.91 (0.91-0.91), 9 processes at x2.9 (2.9-2.9); nothing that was measured beside them tells these apart",
      ],
    ],
  ];
  for (const [what, ways, said] of cases) {
    it(what, () => assert.deepEqual(saidOf(ways), said));
  }

  it("has others depend on it where it is the baseline", () => {
    const ways = [...times(5, FAST), ...times(9, SLOW)];
    assert.deepEqual(saidOf(ways, "baseline"), [
      "baseline",
      "compiled in two ways: 20.0 ns in 5 of 14 processes, 64.0 ns in 9",
    ]);
    assert.deepEqual(saidOf(ways, "baseline", "other"), [
      "no power",
      "9 processes at x0.47 (0.28-0.78), 5 processes at x1.5 (0.47-4.8), distinguished by how V8 compiled its baseline",
    ]);
  });
});
