import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeRecord } from "../../suites/engine/judge/judge.ts";
import { readRecord } from "../../suites/engine/schema/record.ts";
import { publishedRecords } from "../../suites/lab/store/results.ts";
import { everything, later, NUMBERLESS, raceOf } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";
import { otava } from "./otava.ts";

/** What Otava makes of a test's file: a time for each row, and numbers and texts by column. */
interface Series {
  readonly times: readonly number[];
  readonly metrics: ReadonlyMap<string, readonly number[]>;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads a file as `CsvImporter.fetch_data` does (apache/otava, otava/importer.py, with the configuration of
 * docs/CSV.md). Fields are read by Python's csv.reader with the delimiter and quote character of the test's
 * configuration. There is a header, then rows with at least as many fields. The configured columns must be in the
 * header; a metric's fields must be floats; attributes are taken as they are.
 */
function importCsv(
  text: string,
  quoteChar: string,
  attributes: readonly string[],
  metrics: readonly string[],
) {
  assert.ok(text.endsWith("\n"));
  const [header, ...rows] = text
    .slice(0, -1)
    .split("\n")
    .map((line) => fieldsOf(line, quoteChar));
  for (const row of rows)
    if (row.length < header!.length) throw new Error("Number of values in the row does not match");
  const column = (name: string) => {
    const index = header!.indexOf(name);
    if (index < 0) throw new Error(`Column not found ${name}`);
    return rows.map((row) => row[index]!);
  };
  const series: Series = {
    times: column("time").map(pythonTime),
    metrics: new Map(metrics.map((name) => [name, column(name).map((field) => pythonFloat(field, name))])),
    attributes: new Map(attributes.map((name) => [name, column(name)])),
  };
  return { header: header!, rows, series };
}

/** One line as Python's csv.reader reads it, for lines in which no quoted field has a line break. */
function fieldsOf(line: string, quoteChar: string): string[] {
  const fields = [""];
  let quoted = false;
  for (const [index, character] of [...line].entries()) {
    if (character === quoteChar && (quoted || index === 0 || line[index - 1] === ",")) quoted = !quoted;
    else if (character === "," && !quoted) fields.push("");
    else fields[fields.length - 1] += character;
  }
  assert.equal(quoted, false, line);
  return fields;
}

/** `2024-01-02 02:00:00 +0000`, as docs/CSV.md prints it and tests/csv_e2e_test.py writes it but for its dots. */
function pythonTime(text: string): number {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) \+0000$/.exec(text);
  if (match === null) throw new Error(`Invalid datetime value: ${text}`);
  return Date.parse(`${match[1]}T${match[2]}Z`);
}

/** float() takes no empty text, which Number() would take for 0. */
function pythonFloat(text: string, column: string): number {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text))
    throw new Error(`Could not convert value in column ${column}`);
  return Number(text);
}

const ATTRIBUTES = ["commit", "machine", "runtime", "method"];

describe("the importer that the export is held to", () => {
  const read = (text: string) => importCsv(text, '"', ["commit"], ["m"]);
  const good = "time,commit,m\n2024-01-01 02:00:00 +0000,aaa0,1.5\n";

  it("reads the documentation's example, quoted or not", () => {
    assert.deepEqual([...read(good).series.metrics], [["m", [1.5]]]);
    assert.deepEqual(read(good.replace("aaa0", '"aa,a0"')).rows[0]![1], "aa,a0");
  });

  for (const [what, text] of [
    ["a metric without a number", good.replace("1.5", "")],
    ["a metric that is not a number", good.replace("1.5", "never")],
    ["a row that is too short", good.replace(",1.5", "")],
    ["an invalid time", good.replace("2024-01-01 02:00:00 +0000", "yesterday")],
    ["a header without the metric", good.replace("commit,m", "commit,n")],
  ] as const)
    it(`refuses ${what}`, () => assert.throws(() => read(text)));
});

describe("otava", () => {
  const first = judgedSource("a.json", everything());
  const second = judgedSource("b.json", later());
  const figures = (text: string) => text.slice(0, text.indexOf("\n")).split(",").slice(5);

  it("has a row for each run, oldest first, and a column for each figure, which Otava can read", () => {
    const { text, values, leftOut, remarks } = otava([second, first]);
    const { header, series } = importCsv(text, '"', ATTRIBUTES, figures(text));
    assert.deepEqual(header.slice(0, 5), ["time", ...ATTRIBUTES]);
    assert.deepEqual(series.times, [Date.parse(first.record.startedAt), Date.parse(second.record.startedAt)]);
    assert.deepEqual(series.attributes.get("commit"), [
      "0123456789abcdef0123456789abcdef01234567",
      "89abcdef0123456789abcdef0123456789abcdef-dirty",
    ]);
    assert.equal(values, 2 * series.metrics.size);
    const numberless = [...NUMBERLESS.races, ...NUMBERLESS.simulated, ...NUMBERLESS.surveyed];
    assert.deepEqual(leftOut.toSorted(), [...numberless, ...numberless].sort());
    assert.deepEqual(remarks, []);
  });

  it("has the judge's medians and ratios, and medians of metrics", () => {
    const { text } = otava([first]);
    const { metrics } = importCsv(text, '"', [], figures(text)).series;
    const expected = new Map<string, readonly number[]>([
      ["synthetic/fleet/even:peak", [18]],
      ["synthetic/fleet/even:settled", [1]],
      ["synthetic/fleet/fixed:peak", [100]],
      ["synthetic/held/jitter-15:bytesFilled", [17]],
      ["synthetic/held/jitter-15:pairs", [0]],
    ]);
    for (const row of judgeRecord(first.record).races.flatMap(({ rows }) => rows)) {
      if (row.noNumber !== undefined || (row.kind !== "baseline" && row.kind !== "rival")) continue;
      expected.set(row.cell, [row.median]);
      if (row.ratio !== undefined) expected.set(`${row.cell}:ratio`, [row.ratio.value]);
    }
    assert.deepEqual(new Map([...metrics].sort()), new Map([...expected].sort()));
  });

  it("leaves a field empty where a run has no such cell, and says of how many columns", () => {
    const record = everything({ groups: [raceOf("plain", { first: 20, slow: 40 })] });
    const { text, remarks } = otava([judgedSource("a", record), second]);
    const { header, rows } = importCsv(text, '"', [], []);
    const gaps = header.filter((_, index) => rows.some((row) => row[index] === ""));
    assert.ok(gaps.length > 0);
    for (const column of gaps) {
      assert.match(column, /\/(roles|crowd)\/|ring-15/);
      assert.throws(() => importCsv(text, '"', [], [column]), /Could not convert/);
    }
    assert.deepEqual(remarks, [
      `${gaps.length} of ${header.length - 5} columns lack a value in some row: Otava refuses those as metrics`,
    ]);
  });

  it("puts the parts of one run into one row, and refuses a part that comes twice", () => {
    const races = judgedSource("a.json", { ...first.record, simulations: [], surveys: [] });
    const others = judgedSource("b.json", { ...first.record, groups: [] });
    const { text, remarks } = otava([races, others]);
    assert.equal(text, otava([first]).text);
    assert.deepEqual(remarks, []);
    assert.throws(
      () => otava([races, first]),
      /^Error: a\.json and a\.json both have synthetic\/\S+: a run has one row/,
    );
  });

  it("remarks that runs of several machines are one series to Otava", () => {
    const machine = { ...first.record.machine, slug: "other" };
    const other = judgedSource("b", everything({ machine }));
    assert.match(otava([first, other]).remarks.join("\n"), /^the runs differ in machine,/);
  });

  it("needs no quotes, whatever quote character Otava uses, and refuses names that would", () => {
    const { text } = otava([first]);
    for (const quote of ['"', "'"])
      assert.deepEqual(importCsv(text, quote, [], []).rows, importCsv(text, "|", [], []).rows);
    for (const scenario of ["a,b", "a;b", 'a"b', "a'b", "a\nb"]) {
      const record = everything({ groups: [raceOf(scenario, { first: 20 })] });
      assert.throws(() => otava([judgedSource("a", record)]), /cannot be a field of the CSV/);
    }
  });

  it("refuses a run without a time", () => {
    const record = everything({ startedAt: "yesterday" });
    assert.throws(
      () => otava([judgedSource("a", record)]),
      /started at "yesterday" has no time to stand under/,
    );
  });

  it("exports what is published, races and simulations", () => {
    // Of two runs: parts of one share a row.
    const simulated = publishedRecords("heartbeats").find((name) => readRecord(name).simulations.length > 0);
    const names = [publishedRecords("draws").at(-1)!, simulated!];
    const sources = names.map((name) => judgedSource(name, readRecord(name)));
    const { text } = otava(sources);
    const { rows } = importCsv(text, "'", ATTRIBUTES, []);
    assert.equal(rows.length, 2);
    for (const source of sources) {
      const { text: alone } = otava([source]);
      importCsv(alone, "'", ATTRIBUTES, figures(alone));
    }
  });
});
