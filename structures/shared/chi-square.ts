/**
 * Pearson's chi-square of counts against the expected counts, equal by default: how far they deviate, over all cells.
 * The approximation wants an expected count of 5 or more in each; tests here take 20.
 */
export function chiSquareOf(
  counts: readonly number[],
  expected: readonly number[] = new Array<number>(counts.length).fill(
    counts.reduce((sum, count) => sum + count, 0) / counts.length,
  ),
): number {
  return counts.reduce((sum, count, cell) => sum + (count - expected[cell]!) ** 2 / expected[cell]!, 0);
}

/**
 * The value that the chi-square of `cells` uniform counts exceeds at most once in e^x looks: 65 million for x = 18. It
 * is d + 2 sqrt(d x) + 2 x with d degrees of freedom. Source: Laurent & Massart, "Adaptive estimation of a quadratic
 * functional by model selection", 2000, lemma 1. A number of standard deviations would not do: with few cells the
 * distribution's tail is long.
 */
export function chiSquareLimit(cells: number, x = 18): number {
  const freedom = cells - 1;
  return freedom + 2 * Math.sqrt(freedom * x) + 2 * x;
}

/**
 * What it stays below once in e^x looks at most: d t, where (d / 2) (ln t + 1 - t) = -x (Chernoff's bound). 0, which
 * nothing stays below, where counts that are all as expected are likelier than that: `expected` in each cell, by Stirling.
 */
export function chiSquareFloor(cells: number, expected: number, x: number): number {
  const freedom = cells - 1;
  const logOfAllEqual = (Math.log(cells) - freedom * Math.log(2 * Math.PI * expected)) / 2;
  if (logOfAllEqual > -x) return 0;
  let low = 0;
  let high = 1;
  while (high - low > 1e-6 * high) {
    const middle = (low + high) / 2;
    if ((freedom / 2) * (Math.log(middle) + 1 - middle) < -x) low = middle;
    else high = middle;
  }
  return freedom * low;
}
