import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { plainLine } from "../schema/lines.ts";
import { present } from "../words/present.ts";
import { conversion } from "./units.ts";

/**
 * Series of measurements as other tools keep them. Files come from elsewhere: nothing in them is executed, and names are made
 * fit for a terminal. All functions throw an Error with one line that says what is wrong with a file, and where.
 */

export interface NamedSeries {
  readonly name: string;
  /** As the file has it. */
  readonly unit?: string;
  /** Where the file says which direction is better. */
  readonly isLargerBetter?: boolean;
  /** Oldest first. */
  readonly points: readonly SeriesPoint[];
}

export interface SeriesPoint {
  /** A date or an index, as a reader knows it. */
  readonly at: string;
  readonly commit?: string;
  readonly value: number;
}

/** A point as it stands in a file. */
interface Row {
  readonly series: string;
  readonly at: string;
  /** What points of one series are sorted by. */
  readonly order: number;
  readonly value: number;
  /** Texts, or nothing. */
  readonly commit?: unknown;
  readonly unit?: unknown;
  readonly isLargerBetter?: boolean | undefined;
}

export const FORMATS = { csv: csvRows, data: dataRows, bencher: bencherRows } as const;
export type Format = keyof typeof FORMATS;

/** A file may have this many bytes, and all files together this many series. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_SERIES = 2000;

/** The series in files of one format, in the order in which they first appear. Points that several files have are joined. */
export function seriesIn(files: readonly string[], format: Format): NamedSeries[] {
  const rows = files.flatMap((file, place) => FORMATS[format](textOf(file), basename(file), place));
  const series = [...Map.groupBy(rows, (row) => row.series)];
  if (series.length === 0) throw fault(`${files.join(", ")} has no series`);
  if (series.length > MOST_SERIES)
    throw fault(`${files.join(", ")} has ${series.length} series: at most ${MOST_SERIES} are judged`);
  return series.map(([name, rows]) => {
    const own = rows.toSorted((a, b) => a.order - b.order);
    const { unit, isLargerBetter } = own.at(-1)!;
    return {
      name: plainLine(name),
      ...(isText(unit) ? { unit: plainLine(unit) } : {}),
      ...present({ isLargerBetter }),
      points: own.map((row) => ({
        at: plainLine(row.at),
        ...(isText(row.commit) ? { commit: plainLine(row.commit) } : {}),
        value: row.value * factorOf(row, own.at(-1)!),
      })),
    };
  });
}

/** What makes a row's value one in the unit of the newest. Throws where nothing does: ratios would be of nothing. */
function factorOf(row: Row, newest: Row): number {
  const [was, is] = [row, newest].map(({ unit }) => (isText(unit) ? unit : ""));
  const factor = was === is ? 1 : conversion(was!, is!);
  if (factor !== undefined && row.isLargerBetter === newest.isLargerBetter) return factor;
  const measured = ({ isLargerBetter }: Row, unit = "") =>
    `${unit === "" ? "no unit" : `the unit ${unit}`}${isLargerBetter === undefined ? "" : isLargerBetter ? ", larger is better" : ", smaller is better"}`;
  throw fault(
    `${newest.series} has ${measured(row, was)}, at ${row.at}, and ${measured(newest, is)}, at ${newest.at}: give each a series of its own`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MOST_BYTES) throw fault(`it has ${size} bytes, and at most ${MOST_BYTES} are read`);
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    throw fault(
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    );
  }
}

/** CSV as in RFC 4180, with a line of column names. */
function csvRows(text: string, file: string): Row[] {
  const [header, ...records] = csvRecords(text, file);
  const names = header?.fields.map((name) => name.trim().toLowerCase()) ?? [];
  const place = names.includes("date") ? "date" : "index";
  for (const needed of ["series", place, "value"])
    if (!names.includes(needed))
      throw fault(`${file} line 1: no column ${needed}; it needs series, value, and date or index`);
  return records.map(({ line, fields }) => {
    const wrong = (what: string) => fault(`${file} line ${line}: ${what}`);
    if (fields.length !== names.length)
      throw wrong(`it has ${fields.length} fields, and the first line ${names.length}`);
    const field = (name: string) => fields[names.indexOf(name)]?.trim() ?? "";
    const [at, number] = [field(place), field("value")];
    const order = place === "date" ? momentOf(at) : numberOf(at);
    if (Number.isNaN(order))
      throw wrong(
        `${place} is "${at}": give ${place === "date" ? "an ISO 8601 date, as 2026-11-20" : "a number"}`,
      );
    const value = numberOf(number);
    if (Number.isNaN(value)) throw wrong(`value is "${number}": give a number, as 12.5`);
    if (field("series") === "") throw wrong("series is empty: give its name");
    return { series: field("series"), at, order, value, commit: field("commit"), unit: field("unit") };
  });
}

/** NaN for what is no finite number. */
function numberOf(text: string): number {
  const value = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** NaN for what is no date: Date.parse by itself takes much else for one. */
function momentOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Each record with the line that it begins in; empty lines are left out. */
function csvRecords(text: string, file: string): { readonly line: number; readonly fields: string[] }[] {
  const records: { line: number; fields: string[] }[] = [];
  let fields: string[] = [];
  let [line, begun] = [1, 1];
  // A field, quoted or plain, and what ends it.
  const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (FIELD.lastIndex < text.length || fields.length > 0) {
    const found = FIELD.exec(text);
    if (found === null) throw fault(`${file} line ${line}: a quote that does not enclose a whole field`);
    const [all, quoted, plain, end] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? plain!);
    line += all.split("\n").length - 1;
    if (end === ",") continue;
    if (fields.length > 1 || fields[0] !== "") records.push({ line: begun, fields });
    [fields, begun] = [[], line];
  }
  return records;
}

/** What github-action-benchmark's data.js assigns; the assignment may lack. */
function dataRows(text: string, file: string): Row[] {
  const json = text.replace(/^\s*window\.BENCHMARK_DATA\s*=/, (start) => start.replaceAll(/\S/g, " "));
  const { entries } = objectAt(jsonOf(json.replace(/;\s*$/, ""), file), file);
  return Object.entries(objectAt(entries, `${file}: entries`)).flatMap(([suite, runs]) =>
    listAt(runs, `${file}: entries.${suite}`).flatMap((run, index) => {
      const where = `${file}: entries.${suite}[${index}]`;
      const { date, tool, commit, benches } = objectAt(run, where);
      const order = numberAt(date, `${where}.date`);
      if (Math.abs(order) > LATEST) throw fault(`${where}.date is no time in milliseconds`);
      const at = new Date(order).toISOString();
      const distinct = distinctNames();
      const isLargerBetter = LARGER_IS_BETTER.get(tool);
      return listAt(benches, `${where}.benches`).map((bench, place) => {
        const { name, value: given, unit } = objectAt(bench, `${where}.benches[${place}]`);
        const value = numberAt(given, `${where}.benches[${place}].value`);
        const series = distinct(`${suite} / ${name}`);
        return { series, at, order, value, commit: (commit as Json | undefined)?.id, unit, isLargerBetter };
      });
    }),
  );
}

/** By the tool that made a run, where that says so. */
const LARGER_IS_BETTER: ReadonlyMap<unknown, boolean> = new Map([
  ["customBiggerIsBetter", true],
  ["customSmallerIsBetter", false],
]);

/** Milliseconds from 1970 on that a Date can hold. */
const LATEST = 8.64e15;

/** Numbers the second of a name and later ones: these are series of their own. */
function distinctNames(): (name: string) => string {
  const seen = new Set<string>();
  return (name) => {
    let own = name;
    // Some other may have that name with a number, too.
    for (let times = 2; seen.has(own); times++) own = `${name} (${times})`;
    seen.add(own);
    return own;
  };
}

/**
 * Bencher's JSON, of either kind. What `bencher perf` answers has a line of points for each benchmark, measure, branch and
 * testbed. The Bencher Metric Format has one run a file: each file is a point, in the order in which they are given.
 */
function bencherRows(text: string, file: string, order: number): Row[] {
  const json = objectAt(jsonOf(text, file), file);
  if (Array.isArray(json.results)) return perfRows(json.results, file);
  return Object.entries(json).flatMap(([benchmark, measures]) =>
    Object.entries(objectAt(measures, `${file}: ${benchmark}`)).map(([measure, metric]) => {
      const where = `${file}: ${benchmark}.${measure}`;
      const value = numberAt(objectAt(metric, where).value, `${where}.value`);
      const unit = UNITS.get(measure);
      return { series: `${benchmark} / ${measure}`, at: file, order, value, unit };
    }),
  );
}

/** Of Bencher's own measures. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ["latency", "ns"],
  ["throughput", "ops/s"],
]);

function perfRows(lines: readonly unknown[], file: string): Row[] {
  const distinct = distinctNames();
  return lines.flatMap((line, index) => {
    const where = `${file}: results[${index}]`;
    const { metrics, ...parts } = objectAt(line, where);
    const nameOf = (part: string) => objectAt(parts[part], `${where}.${part}`).name;
    const series = distinct(["benchmark", "measure", "branch", "testbed"].map(nameOf).join(" / "));
    return listAt(metrics, `${where}.metrics`).map((point, place) => {
      const here = `${where}.metrics[${place}]`;
      const { metric, version, start_time: start } = objectAt(point, here);
      const at = String(start);
      const order = momentOf(at);
      if (Number.isNaN(order)) throw fault(`${here}.start_time is no ISO 8601 date`);
      const value = numberAt(objectAt(metric, `${here}.metric`).value, `${here}.metric.value`);
      const commit = (version as Json | undefined)?.hash;
      return { series, at, order, value, commit, unit: (parts.measure as Json).units };
    });
  });
}

/** Names and values in a message are the file's, and may hold anything. */
function fault(message: string): Error {
  return new Error(plainLine(message));
}

type Json = Readonly<Record<string, unknown>>;

function objectAt(value: unknown, where: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw fault(`${where} is no object`);
}

function listAt(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw fault(`${where} is no list`);
}

function numberAt(value: unknown, where: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw fault(`${where} is ${value}: give a number`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault(`${file} line ${lineOfFault(text)}: it is not JSON from there on`);
  }
}

/** The first line with which a text can no longer be the beginning of JSON. Engines do not always say where they fail. */
function lineOfFault(text: string): number {
  const lines = text.trimEnd().split("\n");
  let [low, high] = [1, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBeginning(`${lines.slice(0, middle).join("\n")}\n`)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether more text may make JSON of it. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return /end of JSON input|Unterminated string/.test(message) || Number(position) >= text.length;
  }
}
