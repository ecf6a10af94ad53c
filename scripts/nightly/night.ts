import { judgeSeries } from "../../suites/engine/judge/alerts.ts";
import { EXIT } from "../../suites/engine/schema/usage.ts";
import { median } from "../../suites/engine/statistics.ts";
import type { HistoryLine } from "./history.ts";

/**
 * What a night says, beside the nights before it. Pure: history in, judgement out; the same night judged again says the
 * same, whatever came after it.
 */
export interface Night {
  /** All nights' series of the night's profile and method, with a change or without, in the order of their first lines. */
  readonly series: readonly Series[];
  /** Those of them that the night has a line in. */
  readonly tonight: readonly Series[];
  /** Changes that became known tonight: each is told of by one night only. */
  readonly regressions: readonly Finding[];
  readonly improvements: readonly Finding[];
  /** Changes that are too fresh to be sure of and that a later night may confirm. */
  readonly suspected: readonly Finding[];
  /** Tonight's cells without a number. */
  readonly numberless: readonly HistoryLine[];
  /**
   * By how much the night's time is before that of the one appended before it, in ms; 0 if it is not. Not before the
   * latest of all, or a single night of a clock that was years ahead would be told of ever after.
   */
  readonly clockBackMs: number;
  /** Whether later nights are in the history. */
  readonly isPast: boolean;
}

/** A cell's ratio to its baseline, night by night, as long as nights compare. */
export interface Series {
  readonly cell: string;
  readonly machine: string;
  /** At least one, in the order of the history. */
  readonly lines: readonly JudgedLine[];
  /** Those of the baseline, in ns, in the same nights where it has any: how the machine was. */
  readonly baseline: readonly HistoryLine[];
  /** Those that were confirmed, and after them one that is suspected, if any. */
  readonly changes: readonly Change[];
}

/** A line that has a ratio and a floor, without which nothing can be said of it. */
export type JudgedLine = HistoryLine & { readonly ratio: number; readonly floor: number };

/** A place in a series from which on its ratio is another. */
export interface Change {
  /** Of the first line of the new level. */
  readonly index: number;
  /** Median ratios of the levels on both sides, from the change before to the next one. */
  readonly before: number;
  readonly after: number;
  readonly standing: "confirmed" | "suspected";
  /** Whether it is the last line of the series that confirms it. */
  readonly isNews: boolean;
}

export interface Finding {
  readonly series: Series;
  readonly change: Change;
}

/**
 * Nights of a series in which a suspicion is worth a word. The judge confirms a step of any size within as many nights or
 * so; what it has not confirmed then is most likely noise, which leaves a change point in nearly every long series.
 */
const SUSPICIOUS_NIGHTS = 7;

/** Judges the night that consists of `own` lines, which are in the history. */
export function judgeNight(history: readonly HistoryLine[], own: readonly HistoryLine[]): Night {
  const isOwn = nightTest(own);
  const end = history.findLastIndex(isOwn) + 1;
  const known = history.slice(0, end);
  const [first] = own;
  const comparable = known.filter(
    ({ method, profile }) => method === first?.method && profile === first.profile,
  );
  const upToOwn = withoutLater(comparable, isOwn);
  const series = seriesOf(upToOwn);
  const tonight = series.filter(({ lines }) => isOwn(lines.at(-1)!));
  const findings = (isWanted: (change: Change) => boolean): Finding[] =>
    tonight.flatMap((one) => one.changes.filter(isWanted).map((change) => ({ series: one, change })));
  const before = known.findLast((line) => !isOwn(line));
  return {
    series,
    tonight,
    regressions: findings(({ isNews, before, after }) => isNews && after > before),
    improvements: findings(({ isNews, before, after }) => isNews && after < before),
    suspected: findings(({ standing }) => standing === "suspected"),
    numberless: own.filter(({ medianNs }) => medianNs === null),
    clockBackMs:
      first === undefined || before === undefined
        ? 0
        : Math.max(0, Date.parse(before.at) - Date.parse(first.at)),
    isPast: end < history.length || upToOwn.length < comparable.length,
  };
}

function nightTest(own: readonly HistoryLine[]): (line: HistoryLine) => boolean {
  const nights = new Set(own.map(nightOf));
  return (line) => nights.has(nightOf(line));
}

function nightOf({ at, commit }: HistoryLine): string {
  return `${at} ${commit}`;
}

function seriesKey({ cell, machine, method, profile, baseline, state = "any" }: HistoryLine): string {
  return [cell, machine, method, profile, baseline, state].join(" ");
}

/**
 * Without what follows the night in a series that it is in: where a crash cut the night off and its rest was appended
 * after another night, its first cells would else be those of that other one, and what it confirms be told by neither.
 */
function withoutLater(
  lines: readonly HistoryLine[],
  isOwn: (line: HistoryLine) => boolean,
): readonly HistoryLine[] {
  const ends = new Map<string, number>();
  for (const [place, line] of lines.entries()) if (isOwn(line)) ends.set(seriesKey(line), place);
  return lines.filter((line, place) => place <= (ends.get(seriesKey(line)) ?? place));
}

/**
 * What compares is one series: a cell on one kind of machine and in one state of it, by one method and profile, against
 * one baseline. Ratios differ by state, so nights that never saw the quiet one are a series of their own. A new
 * runtime does not end a series: whether it made something slower is a thing to know.
 */
function seriesOf(lines: readonly HistoryLine[]): Series[] {
  const judged = lines.filter(isJudged);
  const bySeries = Map.groupBy(judged, seriesKey);
  // Each night is judged as one of as many series as there were then: those that came since are no part of it.
  const known = new Set<string>();
  const countOf = new Map<string, number>();
  for (const line of judged) countOf.set(nightOf(line), known.add(seriesKey(line)).size);
  const byCell = Map.groupBy(lines, ({ cell, machine }) => `${cell} ${machine}`);
  return [...bySeries.values()].map((own) => {
    const { cell, machine, baseline } = own[0]!;
    return {
      cell,
      machine,
      lines: own,
      baseline: byCell.get(`${baselineCell(cell, baseline)} ${machine}`) ?? [],
      changes: changesOf(own, countOf),
    };
  });
}

/** What the judge of series makes of one, among as many as each night had. */
function changesOf(lines: readonly JudgedLine[], countOf: ReadonlyMap<string, number>): Change[] {
  const points = lines.map(({ at, commit, ratio, floor }) => ({ at, commit, value: Math.log(ratio), floor }));
  const { changes, alerts, alert } = judgeSeries(points, (night) => countOf.get(nightOf(lines[night]!))!);
  const suspect = changes.at(-1);
  const isFresh = (night: number) =>
    night >= points.length - SUSPICIOUS_NIGHTS && night > (alerts.at(-1)?.raised ?? Number.NEGATIVE_INFINITY);
  const starts = [...alerts, ...(suspect !== undefined && isFresh(suspect.night) ? [suspect] : [])].map(
    ({ night }) => night,
  );
  const floor = Math.log1p(median(points.map((point) => point.floor)));
  const levels = [0, ...starts].map((start, level) =>
    median(points.slice(start, starts[level]).map(({ value }) => value)),
  );
  return starts.flatMap((index, change): Change[] => {
    const standing = change < alerts.length ? "confirmed" : "suspected";
    const [before, after] = [levels[change]!, levels[change + 1]!];
    if (standing === "suspected" && Math.abs(after - before) <= floor) return [];
    const isNews = alert !== undefined && change === alerts.length - 1;
    return [{ index, before: Math.exp(before), after: Math.exp(after), standing, isNews }];
  });
}

function isJudged(line: HistoryLine): line is JudgedLine {
  return line.ratio !== null && line.floor !== null;
}

/** The cell of a cell's baseline: in the same role, if there are several. */
function baselineCell(cell: string, baseline: string): string {
  return cell.split("/").with(2, baseline).join("/");
}

/**
 * What the night's script exits with. A regression goes before a cell without a number: it is told of once, while a
 * broken cell is as broken tomorrow, and the summary has both.
 */
export function exitCodeOf({ regressions, numberless }: Night, failed: boolean): number {
  if (regressions.length > 0) return EXIT.regression;
  return failed || numberless.length > 0 ? EXIT.noNumber : EXIT.ok;
}
