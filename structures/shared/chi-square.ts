/**
 * Pearson's chi-square of counts against what is expected of each, equal counts unless told: how far they are from it,
 * all cells together. The approximation wants an expected count of 5 or more in each; tests here take 20.
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
 * What the chi-square of `cells` uniform counts exceeds once in 65 million looks at most: d + 2 sqrt(d x) + 2 x with d
 * degrees of freedom and x = 18, the chance being e^-x (Laurent & Massart, "Adaptive estimation of a quadratic
 * functional by model selection", 2000, lemma 1). A number of standard deviations would not do: with few cells the
 * distribution's tail is long.
 */
export function chiSquareLimit(cells: number): number {
  const freedom = cells - 1;
  return freedom + 2 * Math.sqrt(freedom * UNLIKELINESS) + 2 * UNLIKELINESS;
}

const UNLIKELINESS = 18;
