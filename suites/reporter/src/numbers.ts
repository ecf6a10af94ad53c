/**
 * How numbers read in a table: never an exponent, never more digits than a measurement deserves, thousands grouped
 * by commas. The prefix or the number of decimals is always chosen after rounding, so that 999,950 is `1 M/s`
 * and not `1,000 k/s`.
 */

/** The SI prefixes throughput is printed with, largest first. */
const PREFIXES = [
  { symbol: "T", scale: 1e12 },
  { symbol: "G", scale: 1e9 },
  { symbol: "M", scale: 1e6 },
  { symbol: "k", scale: 1e3 },
] as const;

/**
 * An estimate with the bounds of its interval. All three are zero or more, and `low` is at most `high`, which is
 * Infinity where nothing is known of how far it may reach.
 */
export interface RatioInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The number to `significantDigits` digits: `0.3812`, `26.52`, `1,234`. Zeros at the end of the decimals are left out,
 * so that a count stays a count (`4`). Digits before the point are never rounded away (`12,346`).
 *
 * @throws {RangeError} if the value is not finite.
 */
export function formatNumber(value: number, significantDigits: 3 | 4 = 4): string {
  return SIGNIFICANT[significantDigits].format(finite(value));
}

/** Formats are kept: to make one takes longer than to format a hundred numbers. */
const SIGNIFICANT = { 3: significant(3), 4: significant(4) };

function significant(digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat("en-US", {
    minimumSignificantDigits: 1,
    maximumSignificantDigits: digits,
    minimumFractionDigits: 0,
    maximumFractionDigits: 0,
    // Of a number of significant digits and no decimals, whichever keeps more: this is what saves the integer digits.
    roundingPriority: "morePrecision",
    // No `-0`.
    signDisplay: "negative",
  });
}

/**
 * A number from 0 to 1, such as a fairness index, to two decimals: `0.98`.
 *
 * @throws {RangeError} if the value is not finite.
 */
export function formatShare(value: number): string {
  return withDecimals(finite(value), 2);
}

/**
 * A share of a whole in percent, to three significant digits: 0.1234 is `12.3%`. It may be negative or above 1.
 *
 * @throws {RangeError} if the value is not finite.
 */
export function formatPercent(share: number): string {
  return `${formatNumber(share * 100, 3)}%`;
}

/**
 * Operations per second to three significant digits with an SI prefix from k to T: `38.1 M/s`. Below a thousand
 * there is no prefix: `0.38 /s`.
 *
 * @throws {RangeError} if the value is negative or not finite.
 */
export function formatThroughput(operationsPerSecond: number): string {
  const rounded = Number(zeroOrMore(operationsPerSecond).toPrecision(3));
  const prefix = PREFIXES.find(({ scale }) => rounded >= scale);
  return prefix === undefined
    ? `${formatNumber(rounded, 3)} /s`
    : `${formatNumber(rounded / prefix.scale, 3)} ${prefix.symbol}/s`;
}

/** Ten times up and ten times down: what two programs that do the same take is seldom further apart. */
const WIDEST_KNOWN = 100;

/**
 * Whether an interval says anything of a ratio. One without an end does not, and neither does one that has 1 in it and
 * whose ends are over a hundred times apart. It shows neither which of the two is faster, nor by how much at most.
 * Where 1 lies outside, the end that is nearer to it says something, however far off the other is.
 */
export function isIntervalKnown({ low, high }: Pick<RatioInterval, "low" | "high">): boolean {
  if (high === Number.POSITIVE_INFINITY) return false;
  return low > 1 || high < 1 || high <= WIDEST_KNOWN * low;
}

/**
 * A ratio with its interval: `0.38 (0.37-0.39)`. All three have the decimals that give the ratio itself two significant
 * digits below 1 and three from 1 on. They can then be compared at a glance. Where the interval says nothing (see
 * `isIntervalKnown`), `0.38 (unknown)`.
 *
 * @throws {RangeError} if one of the three is negative, or not finite save `high`, or if `low` is above `high`.
 */
export function formatRatio({ value, low, high }: RatioInterval): string {
  if (high !== Number.POSITIVE_INFINITY && zeroOrMore(low) > zeroOrMore(high)) {
    throw new RangeError(`interval from ${low} to ${high} is upside down`);
  }
  const decimals = decimalsOfRatio(zeroOrMore(value));
  const text = (number: number) => withDecimals(number, decimals);
  return `${text(value)} (${isIntervalKnown({ low, high }) ? `${text(low)}-${text(high)}` : "unknown"})`;
}

/** The most decimals that `Intl.NumberFormat` accepts; a ratio that needs more is printed as zero. */
const MOST_DECIMALS = 100;

function decimalsOfRatio(value: number): number {
  if (value === 0) return 2;
  const digits = value < 1 ? 2 : 3;
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  // 0.996 rounds to 1.0, and 1 is printed with two decimals.
  const digitsAfterRounding = exponent < 0 ? 2 : 3;
  return Math.min(MOST_DECIMALS, Math.max(0, digitsAfterRounding - 1 - exponent));
}

function withDecimals(value: number, decimals: number): string {
  // `Intl.NumberFormat` rounds the shortest decimal form (9.995 up to 10.00), `toExponential` the exact binary value (down
  // to 9.99). Rounding exactly here too keeps the number of digits that was decided there.
  return fixed(decimals).format(Number(value.toFixed(decimals)));
}

const FIXED = new Map<number, Intl.NumberFormat>();

function fixed(decimals: number): Intl.NumberFormat {
  const kept = FIXED.get(decimals);
  if (kept !== undefined) return kept;
  const made = new Intl.NumberFormat("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: "negative",
  });
  FIXED.set(decimals, made);
  return made;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  return value;
}

function zeroOrMore(value: number): number {
  if (finite(value) < 0) throw new RangeError(`${value} is negative`);
  return value;
}
