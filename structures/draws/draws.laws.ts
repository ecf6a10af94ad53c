import { chiSquareLimit, chiSquareOf } from "../shared/chi-square.ts";
import { type Sum, stretchesBetween, unlikeDraws, unlikeSums } from "../shared/drawn.ts";
import { MOST_TELLING, offMean, uniformMean } from "../shared/off-mean.ts";
import type { Census } from "./parts/census.ts";

/**
 * The promises of a mapping as pure functions over what was observed. Each returns undefined, or one sentence that
 * says what broke and by how much.
 *
 * Three of them together define a draw, given words that are all equally likely and independent. Draws follow their
 * words, so they are independent too. The census of the words is the distribution of each. It is as even as claimed. A
 * race cannot see the words, and looks at the draws. The others check by sampling what a census cannot reach.
 */

/** Every draw is a value. */
export function drawsAreInRange(drawn: readonly number[], bound: number): string | undefined {
  const stray = drawn.find((value) => !(Number.isInteger(value) && value >= 0 && value < bound));
  return stray === undefined ? undefined : `drawsAreInRange: ${stray} is not in 0 .. ${bound - 1}`;
}

/**
 * Successive draws yield the values of their words, one by one, without the rejected words. No word is left out or used
 * twice, and a draw after a rejection is like any other. `values` are the values of single words.
 */
export function drawsFollowWords(
  drawn: readonly number[],
  values: readonly (number | undefined)[],
): string | undefined {
  const expected = values.filter((value) => value !== undefined);
  const at = expected.findIndex((value, index) => value !== drawn[index]);
  return at === -1
    ? undefined
    : `drawsFollowWords: draw ${at} was ${drawn[at]}, the word it should come from gives ${expected[at]}`;
}

/** No value's probability differs from 1 / bound by a larger share of it than is claimed. */
export function biasIsWithinClaim(
  { fewest, most, accepted }: Census,
  bound: number,
  claimed: number,
): string | undefined {
  const fair = accepted / bound;
  const bias = Math.max(most - fair, fair - fewest) / fair;
  return bias <= claimed
    ? undefined
    : `biasIsWithinClaim: below ${bound} values have ${fewest} to ${most} words, off by ${Number(bias.toPrecision(6))}, claimed ${claimed}`;
}

/**
 * The claimed bias can be counted at one bound at least. If any bound that is no power of two is served, one such bound
 * is counted, because powers of two are easy. Without this, a mapping too irregular for a census could claim anything.
 */
export function biasIsCounted(bounds: readonly number[], counted: readonly number[]): string | undefined {
  const uneven = bounds.filter((bound) => !Number.isInteger(Math.log2(bound)));
  const telling = uneven.length > 0 ? uneven : bounds;
  return telling.some((bound) => counted.includes(bound))
    ? undefined
    : `biasIsCounted: the words can be counted at none of the bounds ${telling.join(", ")}`;
}

/** Chi-square of how often each value was drawn. */
export function countsAreUniform(counts: readonly number[]): string | undefined {
  const chiSquare = chiSquareOf(counts);
  const limit = chiSquareLimit(counts.length);
  return chiSquare <= limit
    ? undefined
    : `countsAreUniform: chi-square ${chiSquare.toFixed(1)} over ${limit.toFixed(1)}, ${counts.length} cells`;
}

/**
 * Between two looks of a race the sums of draws deviate from the mean by neither more nor less than chance. `looks`:
 * all draws until each, and their sum.
 */
export function sumsScatter(bound: number, looks: readonly Sum[]): string | undefined {
  const unlike = unlikeSums(stretchesBetween(looks), bound);
  return unlike === undefined ? undefined : `sumsScatter: ${unlike}`;
}

/**
 * Values, and successive pairs of them, come neither more unevenly nor more evenly than by chance. `unlikeDraws` says
 * how seldom honest draws fail.
 */
export function drawsAreIndependent(drawn: Int32Array, bound: number): string | undefined {
  const unlike = unlikeDraws([drawn], bound);
  return unlike === undefined ? undefined : `drawsAreIndependent: ${unlike}`;
}

/**
 * The average of the draws lies within 7 standard errors of the middle, by their sum modulo 2^32: all that a race
 * keeps of them. Fair draws fail this once in 4 x 10^11 looks. Biases of the claimed size are far too small to show.
 */
export function meanIsUniform(bound: number, draws: number, checksum: number): string | undefined {
  const standardError = Math.sqrt((draws * (bound * bound - 1)) / 12);
  const allowed = 7 * standardError;
  if (allowed >= MOST_TELLING) return undefined;
  const deviation = offMean(checksum, draws, uniformMean(bound));
  return Math.abs(deviation) <= allowed
    ? undefined
    : `meanIsUniform: the sum of ${draws} draws is ${(deviation / standardError).toFixed(1)} standard errors off`;
}

/** Every mapping serves powers of two. Without this, one that refuses everything would break no other law. */
export function powersOfTwoAreServed(refused: readonly number[]): string | undefined {
  const easy = refused.find((bound) => Number.isInteger(Math.log2(bound)));
  return easy === undefined ? undefined : `powersOfTwoAreServed: ${easy} is refused`;
}

/**
 * `attach` throws a RangeError for an invalid bound and for a bound that it refuses: `accepted` are the bounds that it
 * accepted.
 */
export function badBoundsAreRefused(accepted: readonly number[]): string | undefined {
  return accepted.length === 0
    ? undefined
    : `badBoundsAreRefused: no RangeError for a bound of ${accepted.join(", ")}`;
}
