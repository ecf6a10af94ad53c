/** Operations per ns that one worker did in a slice, of its own time but for that in which batches were prepared. */
export function rateOf(operations: number, startNs: number, endNs: number, preparingNs = 0): number {
  return operations / (endNs - startNs - preparingNs);
}

/** What one of several workers waits for one operation, in ns: as many as there are by the sum of their rates. */
export function costOf(rates: readonly number[]): number {
  return rates.length / rates.reduce((sum, rate) => sum + rate, 0);
}
