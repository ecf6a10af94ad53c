import { readableTime } from "../../suites/engine/table/progress.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import type { DamagedLine, HistoryLine } from "../../suites/lab/series/history.ts";
import type { Series } from "../../suites/lab/series/nights.ts";
import { asWritten } from "../../suites/lab/tables/as-written.ts";
import type { Block, Items } from "../../suites/lab/tables/blocks.ts";
import { formatNumber, type Table } from "../../suites/reporter/src/index.ts";
import { type Section, sectionOf } from "./choice.ts";
import type { Finding, Night } from "./night.ts";

/** A night in words and tables: for the terminal, a file, and the page that a runner of actions shows. */
export interface NightReport {
  readonly night: Night;
  /** The night's lines. */
  readonly lines: readonly HistoryLine[];
  /** The lines among them that were appended now; the others had been before. */
  readonly appended: number;
  /** All that nights are to cover. */
  readonly sections: readonly Section[];
  /** Of the history before the night. */
  readonly earlier: readonly HistoryLine[];
  readonly damaged: readonly DamagedLine[];
  readonly interrupted: boolean;
  /** What else went wrong, one sentence each. */
  readonly failures: readonly string[];
}

/** Damaged lines that are named. */
const NAMED_LINES = 5;
/** Groups that were never measured that are named. */
const NAMED_GROUPS = 10;

export function summaryBlocks(written: NightReport): Block[] {
  const report = asWritten(written);
  const { night, lines } = report;
  const { regressions, improvements, suspected, openElsewhere, numberless } = night;
  const distinct = (of: (line: HistoryLine) => string) => [...new Set(lines.map(of))].join(", ");
  const [first] = lines;
  return [
    `**${verdictText(report)}**`,
    ...(first === undefined
      ? []
      : [
          `Night of ${first.at}, commit ${distinct(({ commit }) => commit.slice(0, 12))}, ${distinct(({ machine }) => machine)}, ${distinct(({ runtime }) => runtime)}, profile ${first.profile}, method ${first.method}.`,
        ]),
    ...remarks(report),
    ...findingsTable(night, "Confirmed regressions", regressions, [
      "Reported once, in the night that confirms it. Ratios are to the baseline of the cell's group, medians over the nights of a level.",
      "Where the baseline itself became faster, all cells of its group seem slower: then its own ns, which also move with the machine, fell by as much.",
    ]),
    ...findingsTable(
      night,
      "Suspected changes",
      [...suspected, ...openElsewhere],
      ["Seen in too few nights to be sure. Nothing is to be done about them yet."],
    ),
    ...findingsTable(night, "Improvements", improvements, []),
    ...numberlessItems(numberless, report.failures),
    coverageTable(report),
  ];
}

function verdictText({ night, lines, sections }: NightReport): string {
  const { regressions, suspected, openElsewhere, improvements, tonight, numberless } = night;
  const changed = new Set([...regressions, ...suspected, ...improvements].map(({ series }) => series));
  const compared = tonight.filter((series) => !isFirst(series));
  const measured = sectionsIn(lines);
  const waiting = sections.filter(({ name }) => !measured.has(name)).length;
  const found = whereTrue(
    count(regressions.length, "confirmed regression"),
    `${suspected.length} suspected`,
    openElsewhere.length > 0 && `${openElsewhere.length} suspected in another state`,
    improvements.length > 0 && count(improvements.length, "improvement"),
    `${compared.length - changed.size} series steady`,
    compared.length < tonight.length && `${tonight.length - compared.length} begun`,
    numberless.length > 0 && `${count(numberless.length, "cell")} without a number`,
  );
  const covered = `${count(measured.size, "group")} measured, ${waiting} ${waiting === 1 ? "waits" : "wait"} for later nights`;
  return `${found.join(", ")}; ${covered}`;
}

function remarks({ night, lines, appended, damaged, interrupted }: NightReport): string[] {
  const named = damaged.slice(0, NAMED_LINES).map(({ line, reason }) => `line ${line} ${reason}`);
  if (damaged.length > named.length) named.push("...");
  const known = lines.length - appended;
  return whereTrue(
    interrupted && "Interrupted: only what was finished is here.",
    comparedText(night),
    known > 0 &&
      (appended === 0
        ? "The night was in the history already: nothing was appended, and it is judged as it was then."
        : `${known} of ${lines.length} lines were in the history already; the others were appended.`),
    night.clockBackMs > 0 &&
      `The clock went back by ${readableSpan(night.clockBackMs)} since an earlier night, or this one was appended late: nights count in the order in which they were appended.`,
    damaged.length > 0 &&
      `${count(damaged.length, "line")} of the history left out, and left as ${damaged.length === 1 ? "it is" : "they are"}: ${named.join("; ")}.`,
  );
}

function whereTrue(...texts: readonly (string | false)[]): string[] {
  return texts.filter((text) => text !== false);
}

/** What tonight's cells lack to be compared with earlier nights, unless most have it. */
function comparedText({ tonight, inOtherStates }: Night): string | false {
  const elsewhere = tonight.filter(
    (series) => isFirst(series) && inOtherStates.some((other) => isSameCell(other, series)),
  );
  const states = (series: readonly Series[]) =>
    [...new Set(series.map(({ lines }) => stateText(lines.at(-1)!)))].join(" and ");
  return elsewhere.length > 0
    ? `${elsewhere.length} of ${tonight.length} series begin tonight: the machine was ${states(elsewhere)}, in the earlier nights of these cells ${states(inOtherStates)}, and ratios of two states do not compare.`
    : tonight.every(isFirst) && "No cell has an earlier night to be compared with yet: nothing is judged.";
}

/** Whether it has tonight's line alone, with nothing to compare it with. */
function isFirst({ lines }: Series): boolean {
  return lines.length === 1;
}

function isSameCell(a: Series, b: Series): boolean {
  return a.cell === b.cell && a.machine === b.machine;
}

/** The state of the machine that a night's figures are of, as suites/README.md names it. */
function stateText({ state = "any" }: HistoryLine): string {
  return state === "any" ? "neither quiet nor far" : state;
}

function findingsTable(
  { inOtherStates }: Night,
  title: string,
  findings: readonly Finding[],
  legend: readonly string[],
): Table[] {
  if (findings.length === 0) return [];
  const byChange = findings.toSorted((a, b) => changeShare(b) - changeShare(a));
  return [
    {
      title,
      provenance: [],
      columns: [
        { key: "cell", title: "Cell", align: "left" },
        { key: "change", title: "Change", align: "right", foremost: true },
        { key: "ratio", title: "Ratio", align: "right", foremost: true },
        { key: "since", title: "Since", align: "left" },
        { key: "commit", title: "Commit", align: "left" },
        { key: "machine", title: "Machine", align: "left" },
        { key: "nights", title: "Nights", align: "right" },
        { key: "baseline", title: "Baseline", unit: "ns", align: "right" },
        { key: "remark", title: "Remark", align: "left" },
      ],
      rows: byChange.map((finding) => ({
        cells: findingCells(finding, inOtherStates.includes(finding.series)),
      })),
      legend,
    },
  ];
}

function findingCells(finding: Finding, isInOtherState: boolean) {
  const { series, change } = finding;
  const { lines } = series;
  const first = lines[change.index]!;
  const last = lines[change.index - 1];
  return {
    cell: series.cell,
    machine: series.machine,
    since: first.at.slice(0, 10),
    // It came with one of the commits from the one to the other.
    commit:
      last === undefined || last.commit === first.commit
        ? first.commit.slice(0, 12)
        : `${first.commit.slice(0, 12)}, after ${last.commit.slice(0, 12)}`,
    ratio: `${formatNumber(change.before, 3)} to ${formatNumber(change.after, 3)}`,
    change: percentText(changeShare(finding)),
    nights: lines.length - change.index,
    baseline: baselineText(finding),
    remark:
      whereTrue(
        last !== undefined &&
          last.runtime !== first.runtime &&
          `with the change from ${last.runtime} to ${first.runtime}`,
        isInOtherState && `the machine was ${stateText(first)}, and tonight it was not`,
      ).join("; ") || null,
  };
}

/** What the baseline took in the night before the change and in the first one after it. */
function baselineText({ series, change }: Finding): string | null {
  const at = (line: HistoryLine | undefined) =>
    series.baseline.find((own) => own.at === line?.at && own.commit === line.commit)?.medianNs ?? null;
  const [before, after] = [at(series.lines[change.index - 1]), at(series.lines[change.index])];
  return before === null || after === null ? null : `${formatNumber(before, 3)} to ${formatNumber(after, 3)}`;
}

/** 0.1 is a tenth slower. */
function changeShare({ change }: Finding): number {
  return change.after / change.before - 1;
}

function percentText(share: number): string {
  return `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
}

/** What went wrong beside the cells that have lines: processes that were lost, and the engine's own crews. */
export function failuresOf({ groups }: BenchRecord): string[] {
  return groups.flatMap(({ primitive, scenario, workers, lostForks, cells }) => {
    const where = `${primitive}/${scenario}/${workers}w`;
    return [
      ...lostForks.map(({ fork, reason }) => `${where}, fork ${fork + 1} lost: ${reason}`),
      ...cells.flatMap(({ name, kind, failure }) =>
        failure === undefined || kind === "baseline" || kind === "rival"
          ? []
          : [`${name}: ${failure.reason}`],
      ),
    ];
  });
}

function numberlessItems(numberless: readonly HistoryLine[], failures: readonly string[]): Items[] {
  if (numberless.length + failures.length === 0) return [];
  return [
    {
      title: "Without a number",
      items: [
        ...numberless.map(({ cell, machine, reason = "" }) => `${cell} @ ${machine}: ${oneLine(reason)}`),
        ...failures.map(oneLine),
      ],
    },
  ];
}

/** How far the nights have come with all there is to measure. A group here is a scenario at one worker count. */
function coverageTable({ lines, sections, earlier }: NightReport): Table {
  const tonight = sectionsIn(lines);
  const before = sectionsIn(earlier);
  const estimateMs = sections.reduce((sum, section) => sum + section.estimateMs, 0);
  const waiting = sections.filter(({ name }) => !tonight.has(name));
  const never = waiting.filter(({ name }) => !before.has(name));
  return {
    title: "Coverage",
    provenance: [],
    columns: [
      { key: "primitive", title: "Primitive", align: "left" },
      { key: "tonight", title: "Measured tonight", align: "right" },
      { key: "waiting", title: "Waiting", align: "right" },
      { key: "never", title: "Never measured", align: "right" },
    ],
    rows: [...Map.groupBy(sections, ({ name }) => name.split("/")[0]!)].map(([primitive, own]) => {
      const left = own.filter(({ name }) => !tonight.has(name));
      const unknown = left.filter(({ name }) => !before.has(name)).length;
      return {
        cells: { primitive, tonight: own.length - left.length, waiting: left.length, never: unknown },
      };
    }),
    legend: [
      `A group here is one scenario at one worker count with all its competitors. All ${sections.length} together take about ${readableSpan(estimateMs)}.`,
      ...(never.length === 0
        ? []
        : [
            `Never measured: ${never
              .slice(0, NAMED_GROUPS)
              .map(({ name }) => name)
              .join(", ")}${never.length > NAMED_GROUPS ? ", ..." : ""}.`,
          ]),
    ],
  };
}

function sectionsIn(lines: readonly HistoryLine[]): Set<string> {
  return new Set(lines.map(sectionOf));
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? "" : "s"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** `40 s`, `12 min`, `3 h 20 min`, `2 days`. */
function readableSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return readableTime(ms);
  if (minutes < 120) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / (24 * 60))} days`;
}
