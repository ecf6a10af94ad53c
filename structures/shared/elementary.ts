/**
 * Exponential and cosine that come out the same on every machine and every engine. IEEE 754 rounds +, -, x and / the
 * same everywhere, but the language leaves Math.exp and Math.cos to the engine. So these are their power series, in a
 * fixed order. Good to a few units in the last place, and slow: for set-up, not for a loop.
 */

/** e to the power of `x`, for -1 <= x <= 1. Throws a RangeError elsewhere. */
export function exponential(x: number): number {
  if (!(Math.abs(x) <= 1)) throw new RangeError(`${x} is not in -1 .. 1`);
  let term = 1;
  let sum = 1;
  // The 20th term is below 10^-18, and no longer changes the sum.
  for (let n = 1; n < 20; n++) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/** The cosine and the sine of the angle that is one `parts`-th of a full turn, for parts >= 8. */
export function partOfTurn(parts: number): { readonly cosine: number; readonly sine: number } {
  if (!(parts >= 8)) throw new RangeError(`${parts} parts of a turn: not 8 or more`);
  const angle = (2 * Math.PI) / parts;
  let term = 1;
  let cosine = 1;
  let sine = 0;
  for (let n = 1; n < 20; n += 2) {
    term *= angle / n;
    sine += term;
    term *= -angle / (n + 1);
    cosine += term;
  }
  return { cosine, sine };
}
