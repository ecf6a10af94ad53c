import { test } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { folded } from "./fold.ts";
import { fromLab, type JudgedTable, type MeasuredRow } from "./lab.ts";
import { toMarkdown } from "./table.ts";

const BASELINE: MeasuredRow = {
  competitor: "futex",
  workers: 2,
  median: 26.52,
  error: 0.381,
  stdDev: 1.2,
  throughputPerSecond: 38_100_000,
  fairness: 0.97,
  overlap: 0.999,
  extra: {},
  verdict: "baseline",
  flags: [],
};
const ALONE = { ...BASELINE, workers: 1 };
const NOTHING = { competitor: "mutant", workers: 1, noNumber: "lost an update" };

function judged(rows: JudgedTable["rows"], changes: Partial<JudgedTable> = {}): JudgedTable {
  return { title: "Locks", provenance: [], unit: "ns/op", columns: [], rows, legend: [], ...changes };
}

function verdicts(...rows: readonly Partial<MeasuredRow>[]): JudgedTable {
  return judged(rows.map((row) => ({ ...ALONE, competitor: "rival", ...row })));
}

/** A row that is undecided, and would have seen this difference. */
function seeing(sees: number, more: Partial<MeasuredRow> = {}): Partial<MeasuredRow> {
  return { verdict: "cannot tell", sees, ...more };
}

const EVERYTHING = judged(
  [
    { ...BASELINE, role: "writer", extra: { median: 3.5 } },
    {
      ...BASELINE,
      competitor: "ticket",
      workers: 4,
      median: 10.08,
      ratio: { value: 0.38, low: 0.37, high: 0.39 },
      overlap: 0.5,
      verdict: "faster",
      flags: ["oversubscribed", "few forks"],
      extra: { median: undefined },
    },
    { ...NOTHING, workers: 4 },
  ],
  {
    provenance: [["Machine", "EPYC"]],
    columns: [{ key: "median", title: "Handover", unit: "µs" }],
    legend: ["Lower is better."],
  },
);

/** A row all of whose figures but the median are no numbers. */
function broken(wrong: number): MeasuredRow {
  const ratio = { value: Number.NaN, low: Number.NaN, high: wrong };
  const figures = { error: wrong, throughputPerSecond: wrong, fairness: wrong, overlap: wrong };
  return { ...BASELINE, ...figures, ratio, verdict: "same" };
}

const rank = { place: 1, leads: true };
const CASES: Readonly<Record<string, JudgedTable>> = {
  "everything that a table can have": EVERYTHING,
  "no rows": judged([]),
  "one worker, and no column that would say nothing": judged([ALONE, ALONE]),
  "fairness of two workers": judged([BASELINE]),
  "an overlap that is not whole": judged([ALONE, { ...ALONE, overlap: 0.994 }]),
  "an overlap that rounds to whole": judged([{ ...ALONE, overlap: 0.996 }]),
  "no number in a row, and a remark in another": judged([ALONE, NOTHING, { ...ALONE, flags: ["a", "b"] }]),
  "medians that are no numbers": judged([
    { ...BASELINE, competitor: "broken", median: Number.NaN, rank },
    { ...BASELINE, competitor: "endless", median: Number.POSITIVE_INFINITY, rank },
    BASELINE,
  ]),
  "other figures that are no numbers": judged([broken(Number.NaN), broken(Number.POSITIVE_INFINITY)]),
  "only faster and slower are bold": verdicts(
    ...["baseline", "faster", "slower", "same", "noise floor"].map((verdict) => ({ verdict })),
  ),
  "what an undecided row would have seen, and no other": verdicts(
    seeing(0.04216),
    seeing(0.0098),
    seeing(0.1249),
    seeing(3.117),
    seeing(1e11, { ratio: { value: 113, low: 1e-9, high: 1e13 } }),
    { verdict: "cannot tell" },
    ...["same", "no power", "noise floor"].map((verdict) => seeing(0.04, { verdict })),
  ),
  "ranks and forks": judged([
    { ...ALONE, forks: 12, rank },
    { ...ALONE, rank: { place: 3, leads: false } },
    ALONE,
  ]),
};

test("the table of what was judged", (t) => {
  const texts = Object.entries(CASES).map(([name, table]) => [
    name,
    toMarkdown(fromLab(table), { headingLevel: 3 }),
  ]);
  const parts = folded(fromLab(EVERYTHING), 80).map((part) => toMarkdown(part));
  goldenCases(t, "../testdata/judged.md", {
    ...Object.fromEntries(texts),
    "folded: what a reader looks for stands first": parts.join("\n"),
  });
});
