import { statSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { formatNumber, formatRatio, formatThroughput } from "../../reporter/src/numbers.ts";
import { appendStepSummary, MOST_SUMMARY_BYTES } from "../../reporter/src/step-summary.ts";
import type { Allocates, Figure } from "../judge/allocates.ts";
import { aligned, filled, OF_THIS_RUN, type TextOptions, widthsIn } from "../race-text.ts";
import { plainName } from "../schema/lines.ts";
import { terminalOf } from "../table/stream.ts";
import { cut } from "./commits/table.ts";
import type { Report, ReportedRace, ReportedRow } from "./report.ts";
import { growthsMarkdown } from "./scaling/growth-text.ts";
import { allocatesText, scaled, timeText, unitOf } from "./times.ts";
import { counted } from "./usage.ts";

/** A race as a table for people: aligned columns on a terminal, and Markdown. */

const COLUMNS = ["task", "time", "99 % interval", "ratio", "allocates", "verdict"] as const;
/** The column that tables of several workers lack. */
const ALLOCATES = COLUMNS.indexOf("allocates");

/** A race for a terminal, with an empty line at its end. */
export function raceTextOf(
  race: ReportedRace,
  { histogram, ...options }: TextOptions & { readonly histogram: boolean },
): string {
  const rows = cellsIn(race);
  const [nameWidth] = widthsIn(rows, options) as [number];
  return `${[
    titleOf(race),
    "",
    ...aligned(rows, options),
    ...(histogram ? ["", ...histogramsOf(race.rows, nameWidth)] : []),
    "",
    ...linesOf(race),
  ].join("\n")}\n\n`;
}

const STYLES = { faster: "green", slower: "red", baseline: "dim", alone: "dim" } as const;

/** How a stream shows tables. */
export function textOptionsFor(stream: NodeJS.WriteStream): TextOptions {
  const { width, colour } = terminalOf(stream, process.env);
  const styled = (verdict: string) =>
    colour && Object.hasOwn(STYLES, verdict)
      ? styleText(STYLES[verdict as keyof typeof STYLES], verdict, { validateStream: false })
      : verdict;
  // Nothing else is as narrow as a terminal.
  return stream.isTTY ? { width, styled } : { styled };
}

/** Reports as Markdown: a heading for each race, its table and what is to be known of it. */
export function markdownOf({ races, growth, refused, machine, runtime, seed }: Report): string {
  const tables = races.map((race) =>
    [
      `### ${escaped(titleOf(race))}`,
      "",
      ...markdownRows(cellsIn(race)),
      "",
      ...linesOf(race).map((text) => `- ${escaped(text)}`),
    ].join("\n"),
  );
  const left = refused.map(({ reason }) => `- ${escaped(plainName(reason))}`);
  const about = `${machine.cpu}, ${counted(machine.cores, "core")}; ${runtime.name} ${runtime.version}; seed ${seed}`;
  return `${[
    ...tables,
    ...growthsMarkdown(growth),
    ...(left.length > 0 ? [`Not raced:\n\n${left.join("\n")}`] : []),
    ...unproved(races),
    escaped(about),
  ].join("\n\n")}\n`;
}

/** A line for reports that have races without a law. */
export function unproved(races: Report["races"]): string[] {
  return races.every(({ isProved }) => isProved)
    ? []
    : ["No law was checked: nothing proves that the tasks of a group do the same work."];
}

/** Appends a report to the summary of a GitHub job's step, if it runs in one: as much as GitHub shows. */
export function appendReport(report: Report, path = process.env.GITHUB_STEP_SUMMARY): void {
  if (!path) return;
  const there = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const separation = 1;
  const text = cut(markdownOf(report).trimEnd().split("\n"), MOST_SUMMARY_BYTES - there - separation);
  if (text !== "") appendStepSummary(text, path);
}

/** A bench file's path from where the command was called. */
export function shownPath(file: string): string {
  return relative(process.cwd(), fileURLToPath(file)) || file;
}

function titleOf({ file, group, part, workers }: ReportedRace): string {
  const what = [group, part].filter(Boolean).join(", ");
  const several = workers === 1 ? "" : `, ${workers} workers`;
  return plainName(`${shownPath(file)}${what === "" ? "" : `: ${what}`}${several}`);
}

/** The rows of a table, the first its head. */
function cellsIn({ rows }: ReportedRace): string[][] {
  const all = [[...COLUMNS], ...rows.map(cellsOf)];
  return rows.some(({ allocates }) => allocates !== null)
    ? all
    : all.map((row) => row.toSpliced(ALLOCATES, 1));
}

/** A table in Markdown, the first row its head: the first and the last column to the left, figures to the right. */
export function markdownRows([head, ...rows]: readonly (readonly string[])[]): string[] {
  const aligned = head!.map((_, column) => (column === 0 || column === head!.length - 1 ? ":--" : "--:"));
  return [head!, aligned, ...rows.map((row) => row.map(escaped))].map((row) => `| ${row.join(" | ")} |`);
}

function cellsOf({ task, ns, ratio, allocates, verdict }: ReportedRow): string[] {
  const name = plainName(task);
  if (ns === null) return [name, "", "", "", "", verdict];
  const unit = unitOf(ns.value);
  return [
    name,
    timeText(ns.value),
    ns.low === null || ns.high === null ? "" : `${scaled(ns.low, unit)} to ${scaled(ns.high, unit)}`,
    ratio === null ? "" : ratioText(ratio),
    allocates === null ? "" : allocatesText(allocates),
    verdict,
  ];
}

export function ratioText({ value, low, high }: Figure): string {
  return formatRatio({ value, low: low ?? 0, high: high ?? Number.POSITIVE_INFINITY });
}

/** What is to be known of a table, a line each. */
function linesOf({ baseline, insteadOf, emptyNs, processes, floor, lost, ...race }: ReportedRace): string[] {
  // Files fill names up with spaces, which a sentence does not need.
  const rows = race.rows.map((row) => ({ ...row, task: row.task.trim() }));
  const measured =
    floor === null
      ? "no noise floor was measured."
      : `the noise floor is ${Number((100 * floor).toPrecision(2))} %.`;
  const without = emptyNs === null ? "" : ` without the ${timeText(emptyNs)} of an empty async task,`;
  const few = rows.some(({ ns }) => ns !== null && ns.low === null) ? ", too few for intervals" : "";
  return [
    `${counted(processes, "process", "processes")}${few}.${rows.length > 1 ? ` Ratios are times${without} relative to ${baseline.trim()}; ${measured}` : ""}`,
    ...(rows.length > 1 && few === "" ? [OF_THIS_RUN] : []),
    ...(insteadOf === undefined
      ? []
      : [
          `Nothing can be compared with ${insteadOf}, see below; --baseline NAME takes another than ${baseline.trim()}.`,
        ]),
    ...rows.flatMap(({ task, ns, remarks }) =>
      remarks.map((remark) => `${task}: ${ns === null ? "no number, " : ""}${remark}.`),
    ),
    ...rows.flatMap(({ task, throughput }) =>
      throughput === undefined ? [] : [`${task}: ${throughputText(throughput)}.`],
    ),
    ...rows.flatMap(({ task, allocates }) => (allocates === null ? [] : collecting(task, allocates))),
    ...lost.map((reason) => `A process was lost: ${reason}.`),
  ].map(plainName);
}

/** From this share of its time on a reader should know of collections. */
const MUCH_COLLECTING = 0.1;

function collecting(task: string, { collectingShare, collectionsPerOperation }: Allocates): string[] {
  if (!(collectingShare >= MUCH_COLLECTING)) return [];
  const every = formatNumber(1 / collectionsPerOperation, 3);
  return [
    `${task}: spends ${Math.round(100 * collectingShare)} % of its time in collections of garbage, one in ${every} operations.`,
  ];
}

/** `412 MB/s (390 MB/s to 430 MB/s)`, `1.2 M items/s` */
function throughputText({ unit, perSecond }: NonNullable<ReportedRow["throughput"]>): string {
  const { value, low, high } = perSecond;
  const text = (amount: number) =>
    formatThroughput(amount).replace(/ ?\//, (slash) =>
      unit === "bytes" ? `${slash.slice(0, -1)}B/` : " items/",
    );
  return low === null || high === null ? text(value) : `${text(value)} (${text(low)} to ${text(high)})`;
}

const BARS = "▁▂▃▄▅▆▇█";
const BINS = 16;

/** How the processes of each row spread, from its least to its most. */
function histogramsOf(rows: readonly ReportedRow[], nameWidth: number): string[] {
  return rows.flatMap(({ task, processNs }) => {
    if (processNs.length < 2) return [];
    const [least, most] = [Math.min(...processNs), Math.max(...processNs)];
    const unit = unitOf(most);
    const counts = Array<number>(BINS).fill(0);
    for (const ns of processNs)
      counts[Math.min(BINS - 1, Math.floor((BINS * (ns - least)) / (most - least || 1)))]!++;
    const fullest = Math.max(...counts);
    const bars = counts.map((count) =>
      count === 0 ? " " : BARS[Math.ceil((BARS.length * count) / fullest) - 1],
    );
    return [
      `${filled(plainName(task), nameWidth)}  ${scaled(least, unit)} |${bars.join("")}| ${scaled(most, unit)} ${unit.name}`,
    ];
  });
}

/** Text that Markdown shows as it is. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#~&$]/g, "\\$&");
}
