import { ascending, median } from "../../../engine/statistics.ts";
import { type CoresCell, type CoresRecord, structureOf } from "../record.ts";

/**
 * How near simulated figures come to what was measured, where anything was: on the machine that measured. Pure. The
 * structures that the machine's free costs were fitted to are shown, and not counted.
 */

/** The worker count that decides: all workers have a core, and they meet. */
export const DECIDING_WORKERS = 2;
/** A structure that misses by more than this factor at two workers has no figure beyond. */
export const MOST_MISSED = 1.5;

/** A cell with a simulated and a measured figure. */
export interface Compared {
  readonly primitive: string;
  readonly scenario: string;
  readonly competitor: string;
  readonly workers: number;
  readonly simulatedNs: number;
  readonly measuredNs: number;
  /** Simulated over measured. */
  readonly ratio: number;
  readonly isFitted: boolean;
}

/** All cells at this worker count that were simulated and measured, and broke no law. */
export function comparedAt({ cells, fitted }: CoresRecord, workers: number): Compared[] {
  return cells.flatMap((cell) => {
    const simulatedNs = simulatedNsOf(cell);
    const { measuredNs, primitive, scenario, competitor } = cell;
    if (cell.workers !== workers || measuredNs === undefined || simulatedNs === undefined) return [];
    const ratio = simulatedNs / measuredNs;
    const isFitted = fitted.includes(structureOf(cell));
    return [{ primitive, scenario, competitor, workers, simulatedNs, measuredNs, ratio, isFitted }];
  });
}

/** What stands beside a measured figure; undefined where there is none, or a law was broken. */
function simulatedNsOf({ nominal }: CoresCell): number | undefined {
  return nominal?.broken === undefined ? nominal?.nsPerOperation : undefined;
}

export interface CheckSummary {
  /** Cells that count: the ones that were not fitted. */
  readonly counted: number;
  /** Median of |ratio - 1|, in percent. NaN for none. */
  readonly medianErrorPercent: number;
  /** Share of the cells within a factor of `MOST_MISSED`. NaN for none. */
  readonly shareWithin: number;
}

export function summaryOf(compared: readonly Compared[]): CheckSummary {
  const counted = compared.filter(({ isFitted }) => !isFitted);
  const within = counted.filter(({ ratio }) => missOf(ratio) <= MOST_MISSED);
  return {
    counted: counted.length,
    medianErrorPercent: 100 * median(counted.map(({ ratio }) => Math.abs(ratio - 1))),
    shareWithin: within.length / counted.length,
  };
}

/** By primitive and scenario, of the cells that were not fitted: how well simulated ranks agree with measured ones. */
export function rankCorrelations(compared: readonly Compared[]): ReadonlyMap<string, number> {
  const counted = compared.filter(({ isFitted }) => !isFitted);
  const byScenario = Map.groupBy(counted, ({ primitive, scenario }) => `${primitive}/${scenario}`);
  return new Map(
    [...byScenario].map(([name, own]) => [
      name,
      rankCorrelation(
        own.map(({ simulatedNs }) => simulatedNs),
        own.map(({ measuredNs }) => measuredNs),
      ),
    ]),
  );
}

/**
 * Spearman's coefficient of two equally long lists: Pearson's of their ranks, where equal values share the mean of
 * theirs. -1 .. 1; NaN where either list has fewer than two different values.
 */
export function rankCorrelation(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [ranksOf(one), ranksOf(other)];
  const middle = (one.length + 1) / 2;
  let [together, ofOne, ofOther] = [0, 0, 0];
  for (const [place, rank] of a.entries()) {
    together += (rank - middle) * (b[place]! - middle);
    ofOne += (rank - middle) ** 2;
    ofOther += (b[place]! - middle) ** 2;
  }
  return together / Math.sqrt(ofOne * ofOther);
}

/** From 1 on. */
function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted(ascending);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

/** By which factor it misses, 1 or more, in either direction. */
export function missOf(ratio: number): number {
  return Math.max(ratio, 1 / ratio);
}

/** By which factor a structure misses at two workers; undefined where it was not simulated there, or not measured. */
export function missAtTwo(record: CoresRecord, structure: string): number | undefined {
  const compared = comparedAt(record, DECIDING_WORKERS).find((own) => structureOf(own) === structure);
  return compared === undefined ? undefined : missOf(compared.ratio);
}

/**
 * Whether a cell's figure is shown: not where its law was broken, and above two workers only if the structure comes within
 * `MOST_MISSED` of what was measured at two. What was not measured at two workers was not checked, and has none there.
 */
export function hasFigure(record: CoresRecord, cell: CoresCell): boolean {
  if (simulatedNsOf(cell) === undefined) return false;
  if (cell.workers <= DECIDING_WORKERS) return true;
  const missed = missAtTwo(record, structureOf(cell));
  return missed !== undefined && missed <= MOST_MISSED;
}
