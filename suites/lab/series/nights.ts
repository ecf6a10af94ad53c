import { median } from "../../engine/statistics.ts";
import { judgeSeries } from "./alerts.ts";
import type { HistoryLine } from "./history.ts";

/** From the lines of a history to series, and the changes that are reported of each. Pure. */

/** A cell's ratio to its baseline, night by night, as long as nights compare. */
export interface Series {
  readonly cell: string;
  readonly machine: string;
  /** At least one, in the order of the history. */
  readonly lines: readonly JudgedLine[];
  /** The figures of the baseline, in ns, in the same nights where it has any: how the machine was. */
  readonly baseline: readonly HistoryLine[];
  /** The confirmed changes, and after them a suspected one, if any. */
  readonly changes: readonly Change[];
}

/** A line that has a ratio and a floor, without which nothing can be said of it. */
export type JudgedLine = HistoryLine & { readonly ratio: number; readonly floor: number };

/** A place in a series from which on its ratio is another. */
export interface Change {
  /** Of the first line of the new level. */
  readonly index: number;
  /** Ratios of the levels on both sides: medians of nights between the change before and the next one. */
  readonly before: number;
  readonly after: number;
  readonly certainty: "confirmed" | "suspected";
  /** Whether it is the last line of the series that confirms it. */
  readonly isNews: boolean;
}

/**
 * Nights of a series in which a suspicion is worth a word. The judge confirms a step of any size within about as many
 * nights. What it has not confirmed then is most likely noise, which leaves a change point in nearly every long series.
 */
const SUSPICIOUS_NIGHTS = 7;

/**
 * One series compares: a cell on one kind of machine and in one state of it, by one method and profile, against one
 * baseline. Ratios differ by state, so nights that never saw the quiet one are a series of their own. A new runtime
 * does not end a series: whether it made something slower is a thing to know.
 */
export function seriesOf(lines: readonly HistoryLine[]): Series[] {
  const judged = lines.filter(isJudged);
  const bySeries = Map.groupBy(judged, seriesKey);
  // Each night is judged as one of as many series as there were then; later ones are no part of it.
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
  const last = alerts.at(-1);
  const suspect = changes.findLast(
    ({ night }) =>
      night >= points.length - SUSPICIOUS_NIGHTS && night > (last?.raised ?? Number.NEGATIVE_INFINITY),
  );
  const newest = last?.night ?? 0;
  const middle = (from: number, to?: number) => median(points.slice(from, to).map(({ value }) => value));
  // What was known on the night of the next alert; a median of all nights between two could deny what was reported.
  const levels = [...alerts.map(({ before }) => before), middle(newest, suspect?.night)];
  const confirmed = alerts.map(
    ({ night }, place): Change => ({
      index: night,
      before: Math.exp(levels[place]!),
      after: Math.exp(levels[place + 1]!),
      certainty: "confirmed",
      isNews: place === alerts.length - 1 && alert !== undefined,
    }),
  );
  if (suspect === undefined) return confirmed;
  const [before, after] = [levels.at(-1)!, middle(suspect.night)];
  if (Math.abs(after - before) <= Math.log1p(median(points.map(({ floor }) => floor)))) return confirmed;
  const suspected = { index: suspect.night, before: Math.exp(before), after: Math.exp(after) };
  return [...confirmed, { ...suspected, certainty: "suspected", isNews: false }];
}

function isJudged(line: HistoryLine): line is JudgedLine {
  return line.ratio !== null && line.floor !== null;
}

/** The cell of a cell's baseline: in the same role, if there are several. */
function baselineCell(cell: string, baseline: string): string {
  return cell.split("/").with(2, baseline).join("/");
}

export function seriesKey({ cell, machine, method, profile, baseline, state = "any" }: HistoryLine): string {
  return [cell, machine, method, profile, baseline, state].join(" ");
}

export function nightOf({ at, commit }: HistoryLine): string {
  return `${at} ${commit}`;
}
