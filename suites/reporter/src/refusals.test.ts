import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import {
  compareReports,
  folded,
  fromLab,
  fromMitata,
  fromReport,
  fromTinybench,
  fromVitest,
  type Table,
  toMarkdown,
  toTerminal,
} from "./index.ts";

// What is wrong here is wrong for the compiler, too.
type Anything = never;

const read = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));

const {
  mitata: MITATA,
  judged: JUDGED,
  small: SMALL,
} = JSON.parse(readFileSync(new URL("../testdata/readable.json", import.meta.url), "utf8")) as {
  readonly mitata: object;
  readonly judged: { readonly rows: readonly object[] };
  readonly small: Table;
};
const [ROW] = JUDGED.rows;

/** Each reader, and what it can read. */
const READERS: readonly (readonly [name: string, whole: object, text: (value: Anything) => string])[] = [
  ["fromMitata", MITATA, (value) => toMarkdown(fromMitata(value))],
  ["fromTinybench", read("tinybench-5"), (value) => toMarkdown(fromTinybench(value))],
  ["fromTinybench", read("tinybench-6"), (value) => toMarkdown(fromTinybench(value))],
  ["fromVitest", read("vitest-4"), (value) => toMarkdown(fromVitest(value))],
  ["fromVitest", read("vitest-5"), (value) => toMarkdown(fromVitest(value))],
  ["fromReport", read("vitest-5"), (value) => toMarkdown(fromReport(value))],
  ["compareReports", read("vitest-4"), (value) => toMarkdown(compareReports(value, read("vitest-4")))],
  ["fromLab", JUDGED, (value) => toMarkdown(fromLab(value))],
  ["toMarkdown", SMALL, (value) => toMarkdown(value)],
];

/** The value with each of its parts in turn replaced, and where that is; of a list the first item stands for all. */
function* brokenIn(
  value: unknown,
  by: unknown,
  place = "",
): Generator<readonly [place: string, broken: unknown]> {
  yield [place, by];
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Array.isArray(value) ? [...value.entries()].slice(0, 1) : Object.entries(value)) {
    for (const [where, broken] of brokenIn(part, by, `${place}.${key}`))
      yield [where, Array.isArray(value) ? value.with(key as number, broken) : { ...value, [key]: broken }];
  }
}

function saidOf(call: () => unknown): string {
  try {
    call();
    return "is read";
  } catch (error) {
    return String(error);
  }
}

for (const [name, whole, text] of READERS) {
  test(`${name} reads what lacks a part, or says in a line which: of ${Object.keys(whole).slice(0, 2)}`, () => {
    assert.ok(text(whole as Anything).startsWith("## "));
    for (const by of [undefined, null, {}, [], "text"]) {
      for (const [place, broken] of brokenIn(whole, by)) {
        const said = saidOf(() => text(broken as Anything));
        // What V8 says itself names no reader.
        assert.doesNotMatch(said, /^TypeError: (?!from|compareReports|table)|\n/, `${place}: ${said}`);
      }
    }
  });
}

const [name] = SMALL.columns;
const VITEST = read("vitest-4") as Anything;
const CALLS: Readonly<Record<string, () => unknown>> = {
  "fromMitata(undefined)": () => fromMitata(undefined as Anything),
  "fromMitata([])": () => fromMitata([] as Anything),
  "fromMitata({ tasks: [] })": () => fromMitata({ tasks: [] } as Anything),
  "fromMitata, no context": () => fromMitata({ benchmarks: [] } as Anything),
  "fromMitata, no runs": () => fromMitata({ ...MITATA, benchmarks: [{}] } as Anything),
  "fromMitata, a run without a name": () =>
    fromMitata({ ...MITATA, benchmarks: [{ runs: [{}] }] } as Anything),
  "fromTinybench(undefined)": () => fromTinybench(undefined as Anything),
  "fromTinybench([{}])": () => fromTinybench([{ name: "task" }] as Anything),
  "fromTinybench, of mitata": () => fromTinybench(MITATA as Anything),
  "fromTinybench, no task": () =>
    fromTinybench({ runtime: "node", runtimeVersion: "24", tasks: [null] } as Anything),
  "fromTinybench, of tinybench 2": () =>
    fromTinybench({
      runtime: "node",
      runtimeVersion: "20",
      tasks: [{ name: "it", result: { mean: 1, samples: [1] } }],
    } as Anything),
  "fromVitest(undefined)": () => fromVitest(undefined as Anything),
  'fromVitest("{}")': () => fromVitest("{}" as Anything),
  "fromVitest, of tests": () => fromVitest({ numTotalTests: 1 } as Anything),
  "fromVitest, no files": () => fromVitest({ files: [] }),
  "fromVitest, no tests": () => fromVitest({ testResults: [] }),
  "fromVitest, no groups": () => fromVitest({ files: [{}] } as Anything),
  "fromVitest, no assertions": () => fromVitest({ testResults: [{ name: "x.ts" }] } as Anything),
  "fromReport({ benchmarks: [] })": () => fromReport({ benchmarks: [] }),
  "fromReport(null)": () => fromReport(null),
  "compareReports, of two harnesses": () => compareReports(VITEST, read("tinybench-6")),
  "compareReports, an empty one": () => compareReports(VITEST, { files: [{ groups: [] }] }),
  "compareReports, statistic": () => compareReports(VITEST, VITEST, { statistic: "mode" as Anything }),
  "fromLab(undefined)": () => fromLab(undefined as Anything),
  "fromLab, no flags": () => fromLab({ ...JUDGED, rows: [{ ...ROW, flags: undefined }] } as Anything),
  "fromLab, an extra number without a column": () =>
    toMarkdown(fromLab({ ...JUDGED, rows: [{ ...ROW, extra: { p99: 1 } }] } as Anything)),
  "baseline: mop": () => fromVitest(VITEST, { baseline: "mop" }),
  "timeUnit: h": () => fromVitest(VITEST, { timeUnit: "h" as Anything }),
  "sort: size": () => fromVitest(VITEST, { sort: "size" as Anything }),
  "statistic: mode": () => fromVitest(VITEST, { statistic: "mode" as Anything }),
  "columns: few": () => fromVitest(VITEST, { columns: "few" as Anything }),
  "columns: p98": () => fromVitest(VITEST, { columns: ["p98"] as Anything }),
  "clockTick: 0": () => fromVitest(VITEST, { clockTick: 0 }),
  "clockTick: NaN": () => fromVitest(VITEST, { clockTick: Number.NaN }),
  "toMarkdown, no table": () => toMarkdown({} as Anything),
  "toMarkdown, no title": () => toMarkdown({ ...SMALL, title: " \n" }),
  "toMarkdown, no columns": () => toMarkdown({ ...SMALL, columns: [], rows: [] }),
  "toMarkdown, two columns of one key": () => toMarkdown({ ...SMALL, columns: [name!, name!], rows: [] }),
  "toMarkdown, a cell without a column": () =>
    toMarkdown({ ...SMALL, rows: [{ cells: {} }, { cells: { mean: 1 } }] }),
  ...Object.fromEntries(
    [0, 7, 1.5, Number.NaN].map((level) => [
      `toMarkdown, headingLevel: ${level}`,
      () => toMarkdown(SMALL, { headingLevel: level }),
    ]),
  ),
  "toTerminal, no columns": () => toTerminal({ ...SMALL, columns: [] }, { width: 80, colour: false }),
  "toTerminal, width: 0": () => toTerminal(SMALL, { width: 0, colour: false }),
  "folded, no title": () => folded({ ...SMALL, title: "" }, 80),
  "folded, width: -1": () => folded(SMALL, -1),
  "folded, width: NaN": () => folded(SMALL, Number.NaN),
};

test("what cannot be read or asked for is refused in one line", (t) => {
  const lines = Object.entries(CALLS).map(([call, made]) => `${call}\n    ${saidOf(made)}\n`);
  golden(t, "../testdata/refusals.txt", lines.join(""));
});
