/**
 * Log-linear buckets: each octave, from one power of two to the next, is divided into equally wide buckets. A value's
 * bucket is read off the bits of its double, without a logarithm and without a search.
 *
 *     bucket 0          0 .. lowest, which is the power of two at or below `from`
 *     bucket 1 .. n     each above the bound of the one before, up to and including its own bound
 *     bucket n + 1      above the highest bound, the power of two at or above `to`
 *
 * Bounds belong to the bucket below them, as `le` of Prometheus demands: "less than or equal".
 *
 * Source: HdrHistogram (Gil Tene) divides octaves of integers so. OpenTelemetry's exponential histogram has the same
 * bounds at each doubling, includes them alike and takes the exponent from the bits; its buckets between grow
 * geometrically. DDSketch (Masson, Rim and Lee, VLDB 2019) calls this mapping linearly interpolated.
 */
export interface HistogramRange {
  /** Smallest value that is distinguished from smaller ones, more than 0. */
  readonly from: number;
  /** Largest value that is distinguished from larger ones. */
  readonly to: number;
  /** Largest relative error of a quantile between `from` and `to`: LEAST_ERROR .. 0.5. */
  readonly error: number;
}

/** 1,024 buckets for each octave. */
export const LEAST_ERROR = 2 ** -11;

/** Of one histogram: each takes three words of each worker. */
const MOST_BUCKETS = 2 ** 16;

/** Units in the lowest bound: how finely values are added up. */
const UNITS = 64;

/** Smaller values are subnormal, or near it. */
const LEAST_EXPONENT = -1000;
const MOST_EXPONENT = 1000;

/** Bits of a double's mantissa in its high word. */
const MANTISSA_BITS = 20;
const EXPONENT_BIAS = 1023;

/** Which of a double's two words has its exponent. */
const HIGH_WORD = new Int32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1;

/**
 * Throws a RangeError, which begins with `name`, for a range whose parts are outside their own ranges, and for one of
 * more than 65,536 buckets.
 */
export function assertRange(name: string, { from, to, error }: HistogramRange): void {
  if (!(from >= 2 ** LEAST_EXPONENT && from < to && to <= 2 ** MOST_EXPONENT))
    throw new RangeError(
      `${name}: from ${from} to ${to} is no range: give 0 < from < to, within 2^${LEAST_EXPONENT} .. 2^${MOST_EXPONENT}`,
    );
  if (!(error >= LEAST_ERROR && error <= 0.5))
    throw new RangeError(`${name}: error ${error} is not in ${LEAST_ERROR} .. 0.5`);
  const { count } = new Buckets({ from, to, error });
  if (count > MOST_BUCKETS)
    throw new RangeError(
      `${name}: ${count} buckets are more than ${MOST_BUCKETS}: give a shorter range or a larger error`,
    );
}

/** The buckets of one range, as one thread uses them. */
export class Buckets {
  /** Bucket 0 and the last one included. */
  readonly count: number;
  /** Doublings from the lowest bound to the highest. */
  readonly octaves: number;
  /** What sums are counted in: a 64th of the lowest bound. */
  readonly unit: number;
  /** Largest value whose units are exact in a double. */
  readonly most: number;
  readonly #lowest: number;
  /** Buckets of an octave are 2 to the power of this. */
  readonly #bits: number;
  /** Index of the lowest bound's own bits, less 1: see indexOf. */
  readonly #before: number;
  /** A double to take apart, and the rest of a unit that has not been added yet. */
  readonly #doubles = new Float64Array(2);
  readonly #words = new Int32Array(this.#doubles.buffer);

  constructor({ from, to, error }: HistogramRange) {
    const lowest = exponentOf(from);
    const highest = exponentOf(to);
    this.octaves = highest + (2 ** highest < to ? 1 : 0) - lowest;
    // A bucket is as wide as its lower bound by this power at most, and its middle is half a bucket from its ends.
    this.#bits = Math.max(0, -exponentOf(error) - 1);
    this.#lowest = 2 ** lowest;
    this.#before = ((lowest + EXPONENT_BIAS) << this.#bits) - 1;
    this.count = (this.octaves << this.#bits) + 2;
    this.unit = this.#lowest / UNITS;
    this.most = Number.MAX_SAFE_INTEGER * this.unit;
  }

  /** The bucket of a value of 0 or more. */
  indexOf(value: number): number {
    // Makes 0 of -0, whose sign would be the largest exponent.
    this.#doubles[VALUE] = value + 0;
    const high = this.#words[2 * VALUE + HIGH_WORD]!;
    const low = this.#words[2 * VALUE + 1 - HIGH_WORD]!;
    // One less where the low word is 0, so that a bound, whose last bits are all 0, is in the bucket below it.
    const index = ((low === 0 ? high - 1 : high) >> (MANTISSA_BITS - this.#bits)) - this.#before;
    return Math.max(0, Math.min(index, this.count - 1));
  }

  /** The largest value of a bucket: Infinity for the last. */
  boundOf(index: number): number {
    if (index === this.count - 1) return Number.POSITIVE_INFINITY;
    const perOctave = 2 ** this.#bits;
    return this.#lowest * 2 ** (index >> this.#bits) * (1 + (index & (perOctave - 1)) / perOctave);
  }

  /** Index of the bucket that ends with an octave, 0 .. octaves. */
  endOfOctave(octave: number): number {
    return octave << this.#bits;
  }

  /**
   * The whole units of this value and of what remained of earlier ones. So the units of any number of values add up to
   * their sum, less one unit at most. What remains is this object's own.
   */
  unitsOf(value: number): number {
    const units = value / this.unit + this.#doubles[REST]!;
    const whole = Math.floor(units);
    this.#doubles[REST] = units - whole;
    return whole;
  }
}

const VALUE = 0;
const REST = 1;

/** The exponent of the power of two at or below a number that is not subnormal. */
function exponentOf(value: number): number {
  const high = new Int32Array(Float64Array.of(value).buffer)[HIGH_WORD]!;
  return (high >> MANTISSA_BITS) - EXPONENT_BIAS;
}

/**
 * The value below which, or at which, the share `q` of the recorded values lies (nearest rank). It is the middle of the
 * bucket in which that value was counted. So its relative error is the range's `error` at most, for values in the
 * range. For a value of bucket 0 it is half the lowest bound, for one beyond the highest bound Infinity. NaN where
 * nothing was recorded. Throws a RangeError for a `q` outside 0 .. 1.
 */
export function quantileOf(buckets: Buckets, counts: readonly number[], q: number): number {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`quantile ${q} is not in 0 .. 1`);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return Number.NaN;
  const rank = Math.max(1, Math.ceil(q * total));
  let seen = 0;
  const index = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  const lower = index === 0 ? 0 : buckets.boundOf(index - 1);
  return (lower + buckets.boundOf(index)) / 2;
}
