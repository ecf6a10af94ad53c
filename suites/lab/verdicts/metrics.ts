import { absentOf } from "../../engine/judge/judge.ts";
import { median } from "../../engine/statistics.ts";
import type { SimulationRecord, SurveyRecord } from "../schema/record.ts";
import type { JudgedMetricRow, JudgedMetrics, Spread } from "../schema/verdict.ts";

/** From simulations and surveys to their figures. Nothing is paired there, so nothing is called faster or slower. */
type Metric = JudgedMetrics["metrics"][string];

/** Percent of the seeds up to either end: seeds are many, and the worst says most of their number. */
export const TAILS = { low: 5, high: 95 };
/** Of fewer seeds the values at those ends are the least and the greatest. */
export const SEEDS_FOR_TAILS = 20;

export function judgeSimulation(simulated: SimulationRecord): JudgedMetrics {
  const ends = (sorted: readonly number[]) => ({
    low: nearestRank(sorted, TAILS.low),
    high: nearestRank(sorted, TAILS.high),
  });
  const times = simulated.seeds?.length ?? 1;
  return judged("simulation", simulated, times, ends, ({ metrics, samples }, key) =>
    samples === undefined ? [metrics[key]] : (samples[key] ?? []),
  );
}

export function judgeSurvey(surveyed: SurveyRecord): JudgedMetrics {
  const ends = (sorted: readonly number[]) => ({ low: sorted[0]!, high: sorted.at(-1)! });
  const times = Math.max(0, ...surveyed.cells.map(({ forks }) => forks.length));
  const figures = judged("survey", surveyed, times, ends, ({ forks }, key) => forks.map((fork) => fork[key]));
  if (surveyed.tail === undefined) return figures;
  const { sharesBeyond: _, ...tail } = surveyed.tail;
  return { ...figures, tail };
}

type Ends = (sorted: readonly number[]) => Pick<Spread, "low" | "high">;

function judged<Cell extends SimulationRecord["cells"][number] | SurveyRecord["cells"][number]>(
  kind: JudgedMetrics["kind"],
  part: Omit<SimulationRecord | SurveyRecord, "cells"> & { readonly cells: readonly Cell[] },
  times: number,
  ends: Ends,
  figuresOf: (cell: Cell, key: string) => readonly (number | null | undefined)[],
): JudgedMetrics {
  const { primitive, scenario, title, metrics, cells } = part;
  const rowOf = (cell: Cell): JudgedMetricRow => {
    const figures = Object.entries(metrics).map(([key, metric]) => {
      const seen = cell.failure === undefined ? figuresOf(cell, key) : [];
      return [key, seen.map((figure) => figureOf(figure, metric))] as const;
    });
    const spreads = figures.flatMap(([key, seen]) => {
      const spread = spreadOf(seen, ends, metrics[key]!);
      return spread === undefined ? [] : [[key, spread] as const];
    });
    return {
      cell: cell.name,
      competitor: cell.competitor,
      isBaseline: cell.baseline,
      ...(cell.failure === undefined ? {} : { noNumber: cell.failure.reason }),
      figures: Object.fromEntries(figures),
      spreads: Object.fromEntries(spreads),
    };
  };
  const absent = absentOf([part]);
  return { kind, primitive, scenario, title, absent, metrics, times, rows: cells.map(rowOf) };
}

/** Infinite where it is missing and that means never, null where it is missing and means nothing. */
function figureOf(figure: number | null | undefined, { absentMeans }: Metric): number | null {
  return figure ?? (absentMeans === "never" ? Number.POSITIVE_INFINITY : null);
}

function spreadOf(figures: readonly (number | null)[], ends: Ends, { over }: Metric): Spread | undefined {
  const sorted = figures.filter((figure) => figure !== null).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const value = over === "greatest" ? sorted.at(-1)! : median(sorted);
  return { value, ...ends(sorted), having: sorted.length, of: figures.length };
}

/** The least of the values that at least this percentage of them does not exceed: one of them, so it may be infinite. */
function nearestRank(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
}
