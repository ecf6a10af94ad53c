import { it } from "node:test";
import { goldenCases } from "../../../engine/golden.trials.ts";
import { syntheticRecord } from "../../schema/record.synthetic.ts";
import { betweenRunsOf, type Repeat, repeatedRows } from "../../verdicts/between-runs.ts";
import { syntheticRuns } from "../../verdicts/repeats.synthetic.ts";
import { repeatsPage } from "./repeats.ts";

const TABLES = [
  { scenario: "small", workers: 1, rows: 2 },
  { scenario: "large", workers: 2, rows: 3 },
];
const CROWDED = { scenario: "large", workers: 4, rows: 3, oversubscribed: true };
const TRUTH = { tables: TABLES, forks: 6, betweenProcesses: 0.02, betweenRuns: 0.03 };

it("the page of repeated runs says which they are, how far they differ, and whether intervals for another hold", (t) => {
  const pageOf = (
    runs: Readonly<Record<string, number>>,
    others: readonly Repeat[] = [],
    partial: readonly Repeat[] = [],
  ) => {
    const repeats = [...syntheticRuns({ ...TRUTH, runs, seed: 1 }), ...partial].map((run, index) => ({
      ...run,
      file: `${index}.json.gz`,
      record: syntheticRecord([], index),
    }));
    return repeatsPage(repeats, { runs: repeats, ...betweenRunsOf(repeatedRows(repeats)) }, others);
  };
  goldenCases(t, "testdata/repeats.md", {
    "two hosts, and other records": pageOf(
      { one: 4, two: 2 },
      syntheticRuns({ ...TRUTH, runs: { three: 3 }, seed: 2 }),
    ),
    "two runs, of which none can be left out": pageOf({ one: 2 }),
    "runs of one race with more workers than cores": pageOf(
      { one: 1 },
      [],
      syntheticRuns({ ...TRUTH, tables: [CROWDED], betweenRuns: 0.3, runs: { one: 2, two: 3 }, seed: 3 }),
    ),
  });
});
