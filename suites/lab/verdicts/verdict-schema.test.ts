import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup, withCosts } from "../../engine/judge/judge.synthetic.ts";
import { judgeContrast } from "../../engine/judge/verdict.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord } from "../schema/record.ts";
import { readVerdicts, verdictText } from "../schema/verdict.ts";
import { judgeRecord } from "./judge-record.ts";

const TRUTH = { workers: 2, rounds: 120, sliceNoise: 0.01, forkNoise: 0.002, roundNoise: 0 };
const COSTS = { locked: 20, ring: 10, index: 20.1 };

/**
 * A race in the quiet state, with a row that is slow in half of its processes. One of a single process, a broken law, a
 * simulation and a survey.
 */
function everything(): BenchRecord {
  const quiet = withCosts(
    syntheticGroup({ ...TRUTH, forks: 8, costsNs: COSTS, busyFactors: { locked: 2 }, seed: 1 }),
    ({ competitor, kind }, fork) => (fork < 3 ? (competitor === "ring" ? 4 : kind === "control" ? 2 : 1) : 1),
  );
  const single = syntheticGroup({ ...TRUTH, forks: 1, workers: 4, costsNs: COSTS, seed: 2 });
  single.cells.find(({ competitor }) => competitor === "index")!.failure = { kind: "law", reason: "lost 3" };
  const metrics = { peak: { title: "Peak", unit: "/s", digits: 0, absentMeans: "never" as const } };
  const described = { primitive: "synthetic", title: "made up", metrics };
  const cell = { name: "synthetic/fleet/even", competitor: "even", baseline: true };
  return {
    ...syntheticRecord([quiet, single], 1),
    simulations: [
      {
        ...described,
        scenario: "fleet",
        seeds: [1, 2],
        cells: [{ ...cell, metrics: {}, samples: { peak: [7, null] }, series: {} }],
      },
    ],
    surveys: [{ ...described, scenario: "held", cells: [{ ...cell, forks: [{ peak: 3 }] }] }],
  };
}

describe("verdicts as text", () => {
  const record = everything();
  const verdicts = judgeRecord(record);
  const lines = verdictText(verdicts).trimEnd().split("\n");

  it("are one line for each scenario and one for each row, and read back to the last digit", () => {
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { line: string }).line),
      [
        "verdicts",
        "race",
        ...verdicts.races[0]!.rows.map(({ noNumber }) => (noNumber === undefined ? "row" : "no number")),
        ...["metrics", "figures", "metrics", "figures"],
      ],
    );
    assert.deepEqual(readVerdicts(verdictText(verdicts), "a.ndjson"), verdicts);
  });

  it("keep what is not finite: what never happened, and what one process cannot show", () => {
    const { figures, spreads } = readVerdicts(verdictText(verdicts), "a").metrics[0]!.rows[0]!;
    assert.deepEqual(figures.peak, [7, Number.POSITIVE_INFINITY]);
    assert.equal(spreads.peak!.high, Number.POSITIVE_INFINITY);
    const single = readVerdicts(verdictText(verdicts), "a").races[0]!.rows.find(
      ({ competitor, workers }) => competitor === "ring" && workers === 4,
    );
    assert.ok(single?.noNumber === undefined);
    assert.deepEqual([single!.ratio?.low, single!.ratio?.high], [0, Number.POSITIVE_INFINITY]);
  });

  it("are refused in one line where they are damaged or of another kind", () => {
    for (const [text, message] of [
      [`${lines[0]}\n${lines[1]!.slice(0, 20)}`, /^v\.ndjson, line 2 is damaged: it is not JSON/],
      ['{"line":"verdicts","version":0}', /^v\.ndjson, line 1 is no verdict of version 2: /],
      ["{}", /^v\.ndjson, line 1 is no verdict/],
    ] as const) {
      assert.throws(
        () => readVerdicts(text, "v.ndjson"),
        (error: Error) => message.test(error.message) && !error.message.includes("\n"),
      );
    }
  });
});

describe("a row", () => {
  const [race] = judgeRecord(everything()).races;

  it("has the verdict that follows from its contrast, as strictly as its table is judged", () => {
    let judged = 0;
    for (const row of race!.rows) {
      if (row.noNumber !== undefined || row.toBaseline === undefined) continue;
      const { judged: rows, looks } = race!.conditions.find(({ workers }) => workers === row.workers)!;
      const { verdict, ratio } = judgeContrast(row.toBaseline, { rows, looks });
      assert.deepEqual([row.verdict, row.ratio], [verdict, ratio]);
      judged++;
    }
    assert.equal(judged, 3, "two rivals with eight processes, and one with one");
  });

  it("whose processes fall into two groups says what each of them says", () => {
    const two = race!.rows.flatMap((row) => (row.noNumber === undefined ? (row.groups ?? []) : []));
    assert.equal(two.length, 2, "one row has two groups");
    assert.ok(two[0]!.ratio.high < two[1]!.ratio.low);
    assert.deepEqual(
      two.map(({ forks }) => forks),
      [5, 3],
    );
  });

  it("is held against each other that competes, and they against it, by the same figures", () => {
    for (const row of race!.rows) {
      if (row.noNumber !== undefined) continue;
      for (const { cell, middle, squaredError } of row.against) {
        const other = race!.rows.find((each) => each.cell === cell)!;
        assert.ok(other.noNumber === undefined);
        const back = other.against.find((each) => each.cell === row.cell)!;
        assert.ok(Math.abs(back.middle + middle) < 1e-12);
        assert.ok(squaredError >= 0 && back.squaredError >= 0);
      }
    }
  });
});
