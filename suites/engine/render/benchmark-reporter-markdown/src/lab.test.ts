import assert from "node:assert/strict";
import { test } from "node:test";
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

function judged(changes: Partial<JudgedTable>): JudgedTable {
  return {
    title: "Locks",
    provenance: [],
    unit: "ns/op",
    columns: [],
    rows: [BASELINE],
    legend: [],
    ...changes,
  };
}

function headings(table: JudgedTable): string[] {
  return fromLab(table).columns.map(({ title }) => title);
}

function cell(row: MeasuredRow, key: string): unknown {
  return fromLab(judged({ rows: [row] })).rows[0]!.cells[key];
}

test("a row without a finite median has no number and no rank, and costs no other row its own", () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const broken = { ...BASELINE, competitor: "broken", median: wrong, rank: { place: 1, leads: true } };
    const { rows } = fromLab(judged({ rows: [broken, BASELINE] }));
    assert.deepEqual(rows[0]!.cells, { competitor: "broken", verdict: `no number: its median is ${wrong}` });
    assert.equal(rows[1]!.cells.median, 26.52);
    const part = {
      ...BASELINE,
      error: wrong,
      throughputPerSecond: wrong,
      fairness: wrong,
      overlap: wrong,
      ratio: { value: Number.NaN, low: Number.NaN, high: wrong },
      verdict: "same",
    };
    const table = fromLab(judged({ rows: [part] }));
    assert.equal(toMarkdown(table).match(/no number/g)?.length, 5);
  }
});

test("a table with everything in it", () => {
  const table = judged({
    provenance: [["Machine", "EPYC"]],
    columns: [{ key: "median", title: "Handover", unit: "µs" }],
    rows: [
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
      { competitor: "mutant", workers: 4, noNumber: "lost an update" },
    ],
    legend: ["Lower is better."],
  });
  assert.equal(
    toMarkdown(fromLab(table), { headingLevel: 3 }),
    `### Locks

- Machine: EPYC

| Competitor | Workers | Role   |            Ratio | Verdict                   | Median (ns/op) | Throughput | Error (ns/op) | StdDev (ns/op) | Fairness | Overlap | Handover (µs) | Remarks                   |
| :--------- | ------: | :----- | ---------------: | :------------------------ | -------------: | ---------: | ------------: | -------------: | -------: | ------: | ------------: | :------------------------ |
| **futex**  |       2 | writer |                1 | baseline                  |          26.52 |   38.1 M/s |         0.381 |            1.2 |     0.97 |    1.00 |           3.5 | –                         |
| ticket     |       4 | –      | 0.38 (0.37-0.39) | **faster**                |          10.08 |   38.1 M/s |         0.381 |            1.2 |     0.97 |    0.50 |             – | oversubscribed, few forks |
| mutant     |       4 | –      |                – | no number: lost an update |              – |          – |             – |              – |        – |       – |             – | –                         |

- Lower is better.
`,
  );
});

test("columns that would say nothing are left out", () => {
  const always = ["Competitor", "Ratio", "Verdict", "Median", "Throughput", "Error", "StdDev"];
  const alone = { ...BASELINE, workers: 1 };
  assert.deepEqual(headings(judged({ rows: [alone, alone] })), always);
  assert.deepEqual(headings(judged({ rows: [] })), always);
  assert.deepEqual(headings(judged({ rows: [BASELINE] })), [...always, "Fairness"]);
  assert.deepEqual(
    headings(judged({ rows: [alone, { competitor: "x", workers: 1, noNumber: "y" }] })),
    always,
  );
  assert.deepEqual(headings(judged({ rows: [{ ...alone, overlap: 0.994 }] })), [...always, "Overlap"]);
  assert.deepEqual(headings(judged({ rows: [{ ...alone, overlap: 0.996 }] })), always);
  assert.deepEqual(headings(judged({ rows: [alone, { ...alone, flags: ["a"] }] })), [...always, "Remarks"]);
});

test("only faster and slower are bold", () => {
  const verdicts = ["baseline", "faster", "slower", "same", "cannot tell", "noise floor"];
  assert.deepEqual(
    verdicts.map((verdict) => cell({ ...BASELINE, verdict }, "verdict")),
    ["baseline", "**faster**", "**slower**", "same", "cannot tell", "noise floor"],
  );
  assert.equal(cell({ ...BASELINE, verdict: "same", flags: ["a", "b"] }, "verdict"), "same");
  assert.equal(cell({ ...BASELINE, verdict: "same", flags: ["a", "b"] }, "remarks"), "a, b");
});

test("an undecided row has the least difference that would have been seen", () => {
  const verdictSeeing = (sees: number, verdict = "cannot tell") =>
    cell({ ...BASELINE, verdict, sees }, "verdict");
  assert.equal(verdictSeeing(0.04216), "cannot tell (sees 4.2 %)");
  assert.equal(verdictSeeing(0.0098), "cannot tell (sees 0.98 %)");
  assert.equal(verdictSeeing(0.1249), "cannot tell (sees 12 %)");
  assert.equal(verdictSeeing(3.117), "cannot tell (sees 310 %)");
  const ratio = { value: 113, low: 1e-9, high: 1e13 };
  assert.equal(cell({ ...BASELINE, verdict: "cannot tell", sees: 1e11, ratio }, "verdict"), "cannot tell");
  for (const verdict of ["same", "no power", "noise floor"]) {
    assert.equal(verdictSeeing(0.04, verdict), verdict);
  }
  assert.equal(cell({ ...BASELINE, verdict: "cannot tell" }, "verdict"), "cannot tell");
});

test("ranks, the leading group marked, and forks stand where any row has them", () => {
  const rows = [
    { ...BASELINE, forks: 12, rank: { place: 1, leads: true } },
    { ...BASELINE, rank: { place: 3, leads: false } },
    BASELINE,
  ];
  const { columns, rows: shown } = fromLab(judged({ rows }));
  assert.deepEqual(columns.map(({ title }) => title).slice(0, 7), [
    "Competitor",
    "Ratio",
    "Verdict",
    "Rank",
    "Median",
    "Throughput",
    "Forks",
  ]);
  assert.deepEqual(
    shown.map(({ cells }) => [cells.rank, cells.forks]),
    [
      ["1 +", 12],
      ["3", null],
      [null, null],
    ],
  );
});

test("a row without a ratio is not called the baseline unless it is", () => {
  assert.equal(cell(BASELINE, "ratio"), "1");
  assert.equal(cell(BASELINE, "competitor"), "**futex**");
  assert.equal(cell({ ...BASELINE, verdict: "noise floor" }, "competitor"), "futex");
  assert.equal(cell({ ...BASELINE, verdict: "noise floor" }, "ratio"), null);
});

test("what a reader looks for stands first where the table has to be folded", () => {
  const { columns } = fromLab(
    judged({
      rows: [
        { ...BASELINE, role: "writer" },
        { ...BASELINE, workers: 4 },
      ],
    }),
  );
  assert.deepEqual(
    columns.filter(({ foremost }) => foremost).map(({ title }) => title),
    ["Workers", "Role", "Ratio", "Verdict", "Median"],
  );
});
