import { type Figures, type Format, originOf, runOf, type Source, type Written } from "./figures.ts";

/**
 * CSV for Apache Otava (apache/otava, docs/CSV.md and `CsvImporter` in otava/importer.py). It has a header, then one
 * row for each run, oldest first, with its time, its attributes and one column for each metric.
 *
 * A cell is a metric, in ns per operation. Its ratio to the baseline is another, `<cell>:ratio`, as is each metric of a
 * simulation or survey. A run without a figure leaves its field empty. The importer takes no column with an empty
 * field, rightly: there is no number that could stand for none.
 */
const ATTRIBUTES = ["commit", "machine", "runtime", "method"] as const;

export const otava: Format = {
  help: `
      CSV for Apache Otava: a row for each run, oldest first; the columns time,
      commit, machine, runtime and method, and one for each figure: "<cell>" in ns,
      "<cell>:ratio" to the baseline, "<cell>:<metric>" of simulations and surveys.
      Parts of one run share its row. Otava refuses a metric with an empty field,
      and takes a file for one series: one machine, one method.
          metrics:
            cas-ring: { column: pick/uniform-8/cas-ring/2w:ratio, direction: -1 }`,
  holdsRuns: true,
  metrics: ["simulation", "survey"],
  differences: ["machine", "runtime"],
  consequence: (differences) =>
    `the runs differ in ${differences}, and Otava takes the rows of a file for one series`,
  write,
};

function write({ races, metrics }: Figures, sources: readonly Source[]): Written {
  const columns = new Map<string, Map<string, number>>();
  let values = 0;
  const add = (column: string, source: Source, value: number) => {
    const byRun = columns.get(column) ?? new Map<string, number>();
    columns.set(column, byRun.set(runOf(source), value));
    values++;
  };
  for (const { source, cell, row } of races) {
    add(cell, source, row.median);
    if (row.ratio !== undefined) add(`${cell}:ratio`, source, row.ratio.value);
  }
  for (const { source, cell, key, spread } of metrics) add(`${cell}:${key}`, source, spread.value);

  const runs = [...new Map(sources.map((source) => [runOf(source), source.record]))]
    .map(([run, record]) => ({ run, startedMs: startOf(record), origin: originOf(record) }))
    .toSorted((a, b) => a.startedMs - b.startedMs);
  const rows = [
    ["time", ...ATTRIBUTES, ...columns.keys()],
    ...runs.map(({ run, startedMs, origin }) => [
      timeText(startedMs),
      ...ATTRIBUTES.map((attribute) => origin[attribute]),
      ...[...columns.values()].map((byRun) => String(byRun.get(run) ?? "")),
    ]),
  ];
  const gaps = [...columns.values()].filter((byRun) => byRun.size < runs.length).length;
  const text = rows.map((fields) => `${fields.map(plainField).join(",")}\n`).join("");
  const lacking = `${gaps} of ${columns.size} columns lack a value in some row: Otava refuses those as metrics`;
  return { text, values, remarks: gaps === 0 ? [] : [lacking] };
}

function startOf({ startedAt }: Source["record"]): number {
  const startedMs = Date.parse(startedAt);
  if (Number.isNaN(startedMs))
    throw new Error(`a run that started at "${startedAt}" has no time to stand under`);
  return startedMs;
}

/** `2026-11-21 14:57:25 +0000`, the order of parts that Otava's example has and that it prints itself. */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} +0000`;
}

/**
 * A field that reads the same with any quote character that Otava may be given, and with `;` between fields. Quoting
 * would hold for one setting only. Throws an Error for text that would need it; names of cells do not.
 */
function plainField(text: string): string {
  if (/[,;"'\p{Cc}]/u.test(text))
    throw new Error(
      `${JSON.stringify(text)} cannot be a field of the CSV: it has a comma, a quote or a break`,
    );
  return text;
}
