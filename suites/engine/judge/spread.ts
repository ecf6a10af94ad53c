import type { SimulationRecord, SurveyRecord } from "../record/record.ts";
import { median, quantile } from "./statistics.ts";

/** A figure that was taken several times: from several seeds, or in several processes. */
export interface Spread {
  /** The median. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** How many seeds or processes have the figure, at least one, and how many there are. */
  readonly having: number;
  readonly of: number;
}

/** Share of the seeds that lies below a spread, and as much above: seeds are many, and the worst says most of their number. */
export const TAIL = 0.05;

/** A simulated metric over the seeds: median and 5 % to 95 %. Undefined if the cell failed or no seed has it. */
export function spreadOverSeeds(
  { failure, metrics, samples = [metrics] }: SimulationRecord["cells"][number],
  metric: string,
): Spread | undefined {
  if (failure !== undefined) return undefined;
  return spreadOf(samples, metric, (sorted) => ({
    low: quantile(sorted, TAIL),
    high: quantile(sorted, 1 - TAIL),
  }));
}

/** A surveyed metric over the processes: median and range. Undefined if the cell failed or no process has it. */
export function spreadOverProcesses(
  { failure, forks }: SurveyRecord["cells"][number],
  metric: string,
): Spread | undefined {
  if (failure !== undefined) return undefined;
  return spreadOf(forks, metric, (sorted) => ({ low: sorted[0]!, high: sorted.at(-1)! }));
}

function spreadOf(
  samples: readonly Readonly<Record<string, number>>[],
  metric: string,
  boundsOf: (sorted: readonly number[]) => Pick<Spread, "low" | "high">,
): Spread | undefined {
  const sorted = samples.flatMap((metrics) => metrics[metric] ?? []).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return { value: median(sorted), ...boundsOf(sorted), having: sorted.length, of: samples.length };
}

/** `31 (28-34)`, or `31` where both bounds read the same. */
export function spreadText({ value, low, high }: Spread, digits: number): string {
  const [middle, from, to] = [value, low, high].map((figure) => figure.toFixed(digits));
  return from === to ? middle! : `${middle} (${from}-${to})`;
}

/** `, in 12 of 20` behind a figure that only some seeds have. */
export function havingText({ having, of }: Spread): string {
  return having === of ? "" : `, in ${having} of ${of}`;
}
