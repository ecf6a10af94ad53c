/** What one worker had of a slice for its operations, in ns: all but the time in which batches were prepared. */
export function timeOf(startNs: number, endNs: number, preparingNs = 0): number {
  return endNs - startNs - preparingNs;
}

/** Operations per ns that it did in that time. */
export function rateOf(operations: number, startNs: number, endNs: number, preparingNs?: number): number {
  return operations / timeOf(startNs, endNs, preparingNs);
}

/** What one of several workers waits for one operation, in ns: as many as there are by the sum of their rates. */
export function costOf(rates: readonly number[]): number {
  return rates.length / rates.reduce((sum, rate) => sum + rate, 0);
}

/**
 * Slices of working sets beyond the caches are this long or longer, in us. It should be worth copying such a set in,
 * and out again. Ratios of such slices are of means (see METHOD.md).
 */
export const LARGE_SLICE_US = 2_000;
