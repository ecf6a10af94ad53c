/**
 * Log-linear buckets: each octave, from one power of two to the next, is divided into equally wide buckets. A value's
 * bucket is read off the bits of its double, without a logarithm and without a search.
 *
 *     bucket 0          0 .. lowest, which is the power of two below `from`
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

export type Bounds = HistogramRange | ChosenBounds;

/** The upper bounds of a histogram's buckets but the last, as prom-client takes them. */
export interface ChosenBounds {
  readonly bounds: readonly number[];
}

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
  /** What sums are counted in: a 64th of the lowest bound. */
  readonly unit: number;
  /** Largest value whose units are exact in a double. */
  readonly most: number;
  readonly #lowest: number;
  /** Doublings from the lowest bound to the highest. */
  readonly #octaves: number;
  /** Buckets of an octave are 2 to the power of this. */
  readonly #bits: number;
  /** Index of the lowest bound's own bits, less 1: see indexOf. */
  readonly #before: number;
  /** A double to take apart, and the rest of a unit that has not been added yet. */
  readonly #doubles = new Float64Array(2);
  readonly #words = new Int32Array(this.#doubles.buffer);

  constructor({ from, to, error }: HistogramRange) {
    // Below `from`, and not at it: a value of bucket 0 is not distinguished from 0, and `from` is.
    const lowest = exponentAbove(from) - 1;
    this.#octaves = exponentAbove(to) - lowest;
    // A bucket is as wide as its lower bound by this power at most, and its middle is half a bucket from its ends.
    this.#bits = Math.max(0, -exponentOf(error) - 1);
    this.#lowest = 2 ** lowest;
    this.#before = ((lowest + EXPONENT_BIAS) << this.#bits) - 1;
    this.count = (this.#octaves << this.#bits) + 2;
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

  /** Which buckets end with an octave, from the lowest bound on: what is shown of all. */
  ends(): number[] {
    return Array.from({ length: this.#octaves + 1 }, (_, octave) => octave << this.#bits);
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

/** Buckets with bounds of the user's own, all of which are shown. Sums are counted in a unit of the lowest. */
class ChosenBuckets extends Buckets {
  override readonly count: number;
  readonly #bounds: readonly number[];

  /** Of bounds that rise and are more than 0. */
  constructor({ bounds }: ChosenBounds) {
    super({ from: bounds[0]!, to: bounds.at(-1)!, error: 0.5 });
    this.#bounds = bounds;
    this.count = bounds.length + 1;
  }

  override indexOf(value: number): number {
    const index = this.#bounds.findIndex((bound) => value <= bound);
    return index === -1 ? this.#bounds.length : index;
  }

  override boundOf(index: number): number {
    return this.#bounds[index] ?? Number.POSITIVE_INFINITY;
  }

  override ends(): number[] {
    return [...this.#bounds.keys()];
  }
}

export function bucketsOf(bounds: Bounds): Buckets {
  return "bounds" in bounds ? new ChosenBuckets(bounds) : new Buckets(bounds);
}

/** Throws a RangeError, which begins with `name`, for bounds that no histogram can have. */
export function assertBounds(name: string, { bounds }: ChosenBounds): void {
  const isBound = (bound: unknown, at: number) =>
    Number.isFinite(bound) && (bound as number) > (at === 0 ? 0 : bounds[at - 1]!);
  if (!(Array.isArray(bounds) && bounds.length > 0 && bounds.every(isBound)))
    throw new RangeError(
      `${name}: buckets ${bounds} are no bounds: give numbers above 0, each more than the one before`,
    );
  assertRange(name, { from: bounds[0]! / 2, to: bounds.at(-1)!, error: 0.5 });
  if (bounds.at(-1)! > new ChosenBuckets({ bounds }).most)
    throw new RangeError(
      `${name}: the last bucket is more than 2^46 times the first, up to which sums are exact`,
    );
}

/** The exponent of the least power of two that is at or above a number. */
function exponentAbove(value: number): number {
  const exponent = exponentOf(value);
  return 2 ** exponent < value ? exponent + 1 : exponent;
}

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
