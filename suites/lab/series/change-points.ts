import { ascending, median, quantile, studentP } from "../../engine/statistics.ts";

/**
 * Change points of a series by E-divisive means, as Hunter and Apache Otava deploy them against performance
 * regressions. Sources: Fleming et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
 * ICPE 2023; Matteson & James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA
 * 2014.
 *
 * 1. It works in windows of 50 values, each half a window after the last. The split that maximises the energy statistic
 *    q is taken if the values on its two sides differ, and both sides are split again. Windows, because over a long
 *    series a change that is later taken back would vanish in the average.
 * 2. Splits are taken ten times as easily as they are kept, so that one which only shows when its neighbour is known is
 *    not missed. Then the weakest is dropped, and its neighbours are tested anew on the longer segments they now bound.
 *    This goes on until all that are left are significant.
 *
 * The test is Student's t for two samples of one variance, as in Otava. The permutation test of the original needs
 * thousands of permutations of every split to resolve a p of 0.001, and a seed. It is nominal: the split was chosen for
 * its difference, so far more than one in a thousand splits of mere noise pass. A caller that raises an alarm has to
 * ask for more (see alerts.ts).
 *
 * What differs from Otava. Lone outliers are replaced first; Otava leaves them in and may call them a level. No level
 * is made of one value, except the last of the series, which may be an outlier or the first of a new level. Otava
 * reports it too and takes it back the next night. Variances are unbiased; Otava's are too small. Each side is split
 * until nothing is found there, not until the best split of all fails. The search ends with the first window that
 * reaches the last value; Otava searches ever shorter ones.
 */
export interface ChangePoint {
  /** Of the first value of the new level. */
  readonly index: number;
  /** Median of the values since the previous change point, and of the values up to the next. */
  readonly before: number;
  readonly after: number;
  /** Chance of levels at least this far apart if nothing had changed between them, by Student's t. Nominal. */
  readonly p: number;
}

export interface ChangePointOptions {
  /** Values that are searched at a time, at least 4. */
  readonly windowLength?: number;
  /** The largest p of a change point. */
  readonly maxP?: number;
}

/** A change point without its levels, which cost a sort to find. */
export interface Split {
  readonly index: number;
  readonly p: number;
}

export const WINDOW_LENGTH = 50;
export const MAX_P = 0.001;

/** Beyond this the squares of differences leave the range of a double. */
const LARGEST_VALUE = 1e150;

/** How much larger a p may be in the search than in the end (Hunter's "weak change points"). */
const SEARCH_SLACK = 10;

/** Values that make a level: one alone is as likely to be an outlier as to be new. */
const LEAST_LEVEL = 2;

/** Two levels' worth. */
const LEAST_VALUES = 2 * LEAST_LEVEL;

/** Adds the levels on both sides. */
export function withLevels(values: readonly number[], splits: readonly Split[]): ChangePoint[] {
  const bounds = [0, ...splits.map(({ index }) => index), values.length];
  const levels = bounds.slice(1).map((end, segment) => median(values.slice(bounds[segment], end)));
  return splits.map(({ index, p }, split) => ({
    index,
    before: levels[split]!,
    after: levels[split + 1]!,
    p,
  }));
}

/**
 * Change points of a series that grows: `splits` says those of the values added so far, which may be any reals up to
 * 1e150 either way; none of fewer than four. `add` throws a RangeError for a value that is not finite. Full windows are
 * searched once, and only the last one again with every value. All change points of each beginning of a series then
 * cost little more than those of the whole.
 */
export class ChangePointSearch {
  readonly #windowLength: number;
  readonly #maxP: number;
  /** Less the first, so that equal values are exactly 0 and their sums too. */
  readonly #values: number[] = [];
  /** The same with lone outliers replaced. */
  readonly #calm: number[] = [];
  #origin = 0;
  #windowStart = 0;
  /** Found in full windows, ascending. */
  readonly #settled: number[] = [];

  constructor({ windowLength = WINDOW_LENGTH, maxP = MAX_P }: ChangePointOptions = {}) {
    if (!Number.isInteger(windowLength) || windowLength < LEAST_VALUES)
      throw new RangeError(`windowLength is ${windowLength}: give an integer from ${LEAST_VALUES}`);
    if (!(maxP > 0 && maxP < 1)) throw new RangeError(`maxP is ${maxP}: give a number between 0 and 1`);
    this.#windowLength = windowLength;
    this.#maxP = maxP;
  }

  add(value: number): void {
    if (!(Math.abs(value) <= LARGEST_VALUE))
      throw new RangeError(`value ${this.#values.length} is ${value}: leave out what has no finite value`);
    if (this.#values.length === 0) this.#origin = value;
    this.#values.push(value - this.#origin);
    this.#calm.push(value - this.#origin);
    this.#calmDown();
    // The newest value has no successor yet, so whether it is a lone outlier is unknown.
    if (this.#values.length > this.#windowStart + this.#windowLength) this.#settle();
  }

  /** Change points of all values added so far, ascending. */
  splits(): Split[] {
    const { length } = this.#values;
    if (length < LEAST_VALUES) return [];
    const found = this.#settled.slice();
    this.#search(this.#windowStart, length, found);
    return this.#kept([...new Set(found)].sort(ascending));
  }

  /**
   * Replaces by its nearer neighbour a value that is further out than both, on the same side, by more than usual. Usual
   * are the differences between successive values of the last window: Q3 + 3 IQR of them, as rustc-perf decides what a
   * single result means. A step is beyond one neighbour only, so it stays, and so does the newest value.
   */
  #calmDown(): void {
    const { length } = this.#values;
    const fence = fenceOf(changesBetween(this.#values, Math.max(0, length - this.#windowLength), length));
    // A window's worth of values is needed to know what is wont; until then the first ones are looked at again.
    const first = length <= this.#windowLength ? 1 : length - 2;
    for (let index = first; index < length - 1; index++) {
      const value = this.#values[index]!;
      const low = Math.min(this.#values[index - 1]!, this.#values[index + 1]!);
      const high = Math.max(this.#values[index - 1]!, this.#values[index + 1]!);
      this.#calm[index] = value > high + fence ? high : value < low - fence ? low : value;
    }
  }

  #settle(): void {
    const found: number[] = [];
    this.#search(this.#windowStart, this.#windowStart + this.#windowLength, found);
    this.#settled.push(...found);
    this.#windowStart = Math.max(this.#windowStart + (this.#windowLength >> 1), ...found);
  }

  /** Splits the values from `start` to `end` as long as the two sides differ; puts where into `found`. */
  #search(start: number, end: number, found: number[]): void {
    const index = bestSplit(this.#calm, start, end, end === this.#calm.length ? 1 : LEAST_LEVEL);
    if (index === undefined) return;
    if (this.#p(start, index, end) >= SEARCH_SLACK * this.#maxP) return;
    found.push(index);
    this.#search(start, index, found);
    this.#search(index, end, found);
  }

  /** Drops the weakest of these splits until all are significant. */
  #kept(indexes: number[]): Split[] {
    const bounds = [0, ...indexes, this.#calm.length];
    const pAt = (at: number) => this.#p(bounds[at - 1]!, bounds[at]!, bounds[at + 1]!);
    const ps = bounds.map((_, at) => (at === 0 || at === bounds.length - 1 ? 0 : pAt(at)));
    for (;;) {
      const worst = ps.indexOf(Math.max(...ps));
      if (ps[worst]! < this.#maxP) break;
      bounds.splice(worst, 1);
      ps.splice(worst, 1);
      if (worst > 1) ps[worst - 1] = pAt(worst - 1);
      if (worst < bounds.length - 1) ps[worst] = pAt(worst);
    }
    return bounds.slice(1, -1).map((index, split) => ({ index, p: ps[split + 1]! }));
  }

  /** Student's two-sample test of the values from `start` to `index` against those from there to `end`. */
  #p(start: number, index: number, end: number): number {
    const before = index - start;
    const after = end - index;
    const meanBefore = sumOf(this.#calm, start, index) / before;
    const meanAfter = sumOf(this.#calm, index, end) / after;
    const squares =
      squaresAbout(this.#calm, start, index, meanBefore) + squaresAbout(this.#calm, index, end, meanAfter);
    const freedom = before + after - 2;
    const error = Math.sqrt((squares / freedom) * (1 / before + 1 / after));
    const difference = Math.abs(meanAfter - meanBefore);
    return difference === 0 ? 1 : studentP(difference / error, freedom);
  }
}

/**
 * Where to split the values from `start` to `end`. Returns the index that maximises the energy statistic q of the
 * values before it and the values from it to some later place. Undefined if nothing differs. The second level may end
 * before the values do, so that later values do not blur it (Matteson & James, equation 7). Levels have at least two
 * values, one that reaches `end` at least `leastAtEnd`.
 *
 *     q = 2 / (n + m) (between - m / (n - 1) within the first n - n / (m - 1) within the last m)
 *
 * of sums of distances over pairs. Distances within and between add up to the distances within the whole, and distances
 * within grow by a row of distances for every value. All q together thus cost a few operations for each pair.
 */
function bestSplit(
  values: readonly number[],
  start: number,
  end: number,
  leastAtEnd: number,
): number | undefined {
  const length = end - start;
  if (length < LEAST_LEVEL + leastAtEnd) return undefined;
  // Of the first values, up to each number.
  const withinFirst = new Float64Array(length + 1);
  for (let next = 1; next < length; next++) {
    let row = 0;
    const value = values[start + next]!;
    for (let earlier = start; earlier < start + next; earlier++) row += Math.abs(value - values[earlier]!);
    withinFirst[next + 1] = withinFirst[next]! + row;
  }
  // A q up to this may be rounding.
  let best = length * withinFirst[length]! * Number.EPSILON;
  let bestIndex: number | undefined;
  // Of the values from the split on, up to each number, while the split moves towards the start.
  const withinLast = new Float64Array(length + 1);
  for (let n = length - 1; n >= LEAST_LEVEL; n--) {
    const value = values[start + n]!;
    const first = withinFirst[n]!;
    let row = 0;
    for (let whole = n + 1; whole <= length; whole++) {
      row += Math.abs(value - values[start + whole - 1]!);
      withinLast[whole]! += row;
      const last = withinLast[whole]!;
      const m = whole - n;
      if (m < LEAST_LEVEL && (whole < length || m < leastAtEnd)) continue;
      const between = withinFirst[whole]! - first - last;
      const q = (2 / whole) * (between - (m * first) / (n - 1) - (m === 1 ? 0 : (n * last) / (m - 1)));
      if (q > best) {
        best = q;
        bestIndex = start + n;
      }
    }
  }
  return bestIndex;
}

function changesBetween(values: readonly number[], start: number, end: number): Float64Array {
  const changes = new Float64Array(Math.max(0, end - start - 1));
  for (let at = 0; at < changes.length; at++)
    changes[at] = Math.abs(values[start + at + 1]! - values[start + at]!);
  return changes;
}

/** Q3 + 3 IQR: what is beyond is no noise (Tukey's outer fence). Sorts in place. */
function fenceOf(sizes: Float64Array): number {
  sizes.sort();
  const q1 = quantile(sizes, 0.25);
  const q3 = quantile(sizes, 0.75);
  return q3 + 3 * (q3 - q1);
}

function sumOf(values: readonly number[], start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum += values[at]!;
  return sum;
}

function squaresAbout(values: readonly number[], start: number, end: number, middle: number): number {
  let squares = 0;
  for (let at = start; at < end; at++) squares += (values[at]! - middle) ** 2;
  return squares;
}
