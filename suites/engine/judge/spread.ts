import type { SimulationRecord, SurveyRecord } from "../schema/record.ts";
import { median } from "../statistics.ts";

/** A figure that was taken several times: from several seeds, or in several processes. */
export interface Spread {
  /** The median. Like both ends, infinite for what never happened in the time there was. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** How many seeds or processes have the figure, at least one, and how many there are. */
  readonly having: number;
  readonly of: number;
}

type Metric = SimulationRecord["metrics"][string];

/** Percent of the seeds up to either end: seeds are many, and the worst says most of their number. */
export const TAILS = { low: 5, high: 95 };
/** Of fewer seeds the values at those ends are the least and the greatest. */
export const SEEDS_FOR_TAILS = 20;

/** A simulated metric over the seeds: median and 5 % to 95 %. Undefined if there is no figure. */
export function spreadOverSeeds(
  cell: SimulationRecord["cells"][number],
  key: string,
  metric: Metric,
): Spread | undefined {
  return spreadOf(figuresOfSeeds(cell, key, metric), (sorted) => ({
    low: nearestRank(sorted, TAILS.low),
    high: nearestRank(sorted, TAILS.high),
  }));
}

/**
 * A simulated metric of each seed, in their order: infinite where it is missing and that means never, undefined where it
 * is missing and means nothing. None if the cell failed.
 */
export function figuresOfSeeds(
  { failure, metrics, samples }: SimulationRecord["cells"][number],
  key: string,
  metric: Metric,
): readonly (number | undefined)[] {
  if (failure !== undefined) return [];
  const figures = samples === undefined ? [metrics[key]] : (samples[key] ?? []);
  return figures.map((figure) => figureOf(figure, metric));
}

/** A surveyed metric over the processes: median and range. Undefined if there is no figure. */
export function spreadOverProcesses(
  { failure, forks }: SurveyRecord["cells"][number],
  key: string,
  metric: Metric,
): Spread | undefined {
  const figures = failure === undefined ? forks.map((fork) => figureOf(fork[key], metric)) : [];
  return spreadOf(figures, (sorted) => ({ low: sorted[0]!, high: sorted.at(-1)! }));
}

function figureOf(figure: number | null | undefined, { absentMeans }: Metric): number | undefined {
  return figure ?? (absentMeans === "never" ? Number.POSITIVE_INFINITY : undefined);
}

function spreadOf(
  figures: readonly (number | undefined)[],
  endsOf: (sorted: readonly number[]) => Pick<Spread, "low" | "high">,
): Spread | undefined {
  const sorted = figures.filter((figure) => figure !== undefined).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return { value: median(sorted), ...endsOf(sorted), having: sorted.length, of: figures.length };
}

/** The least of the values that at least so many percent of them do not exceed: one of them, so it may be infinite. */
function nearestRank(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
}

/** `31 (28-34)`, or `31` where both ends read the same; `5.83 (5.28-never)`. */
export function spreadText({ value, low, high }: Spread, digits: number): string {
  const [middle, from, to] = [value, low, high].map((figure) => figureText(figure, digits));
  return from === to ? middle! : `${middle} (${from}-${to})`;
}

export function figureText(figure: number, digits: number): string {
  return figure === Number.POSITIVE_INFINITY ? "never" : figure.toFixed(digits);
}

/** `, in 12 of 20` behind a figure that only some seeds have. */
export function havingText({ having, of }: Spread): string {
  return having === of ? "" : `, in ${having} of ${of}`;
}
