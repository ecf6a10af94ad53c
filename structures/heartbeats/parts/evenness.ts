import { partOfTurn } from "../../shared/elementary.ts";

/** How level a stream of messages per second is. All of it comes out the same on every machine. */
export interface Evenness {
  readonly peak: number;
  readonly low: number;
  readonly mean: number;
  /** Coefficient of variation: standard deviation over mean; 0 if there is no message. */
  readonly cv: number;
  /** Index of dispersion: variance over mean, which is 1 for messages at random; 0 if there is no message. */
  readonly dispersion: number;
  /** Gini coefficient: half the mean difference of two seconds over their mean; 0 if there is no message. */
  readonly gini: number;
}

export function evennessOf(messages: Int32Array): Evenness {
  const ascending = messages.toSorted();
  const seconds = ascending.length;
  let sum = 0;
  let sumOfSquares = 0;
  let sumOfRanked = 0;
  for (const [rank, count] of ascending.entries()) {
    sum += count;
    sumOfSquares += count * count;
    sumOfRanked += (rank + 1) * count;
  }
  const mean = sum / seconds;
  // From whole-number sums, and Math.sqrt, which unlike the other functions of Math rounds the same everywhere.
  const spread = seconds * sumOfSquares - sum * sum;
  const isSilent = sum === 0;
  return {
    peak: ascending[seconds - 1]!,
    low: ascending[0]!,
    mean,
    cv: isSilent ? 0 : Math.sqrt(spread) / sum,
    dispersion: isSilent ? 0 : spread / seconds / sum,
    gini: isSilent ? 0 : (2 * sumOfRanked) / (seconds * sum) - (seconds + 1) / seconds,
  };
}

/**
 * How strongly a stream swings with a period of `period` seconds, 8 or more: the amplitude of that wave over the mean.
 * 0 where it does not swing, 1 for a sine that just reaches 0, 2 for messages that all come at one moment of the
 * period. Best over whole periods.
 */
export function waveOf(messages: Int32Array, period: number): number {
  const { cosine, sine } = partOfTurn(period);
  let [real, imaginary] = [1, 0];
  let [sum, sumReal, sumImaginary] = [0, 0, 0];
  for (const count of messages) {
    sum += count;
    sumReal += count * real;
    sumImaginary += count * imaginary;
    [real, imaginary] = [real * cosine - imaginary * sine, real * sine + imaginary * cosine];
  }
  return sum === 0 ? 0 : (2 * Math.sqrt(sumReal * sumReal + sumImaginary * sumImaginary)) / sum;
}

/**
 * The time in seconds at which the wave of `period` seconds has decayed to `level`. This is the middle of the first
 * whole period in which it is no stronger, interpolated from the look before; undefined if there is none. The first
 * period looked at begins at `from`.
 */
export function waveFallsTo(
  level: number,
  messages: Int32Array,
  period: number,
  from: number,
): number | undefined {
  const length = Math.round(period);
  const step = Math.ceil(length / LOOKS_PER_PERIOD);
  let before: number | undefined;
  for (let begin = from; begin + length <= messages.length; begin += step) {
    const wave = waveOf(messages.subarray(begin, begin + length), period);
    const middle = begin + length / 2;
    if (wave <= level)
      return before === undefined ? middle : middle - (step * (level - wave)) / (before - wave);
    before = wave;
  }
  return undefined;
}

const LOOKS_PER_PERIOD = 20;

/**
 * The time from which the stream is settled: seconds from `start` until the first interval after which every whole
 * interval is settled. An interval is settled if its variance exceeds the mean by no more than chance allows. Undefined
 * if the last one is not settled.
 *
 * The index of dispersion of random messages is 1, with a standard deviation of sqrt(2 / (seconds - 1)). Five of these
 * more come up in less than one interval in 100,000, so neither a long run nor a lucky one counts as a change. (A bound
 * on the peak second, mean + 4 sqrt(mean) say, is broken by chance every few hours.)
 */
export function settledAfter(messages: Int32Array, interval: number, start: number): number | undefined {
  const most = 1 + 5 * Math.sqrt(2 / Math.max(1, interval - 1));
  let settledFrom = start;
  for (let from = start; from + interval <= messages.length; from += interval)
    if (evennessOf(messages.subarray(from, from + interval)).dispersion > most) settledFrom = from + interval;
  return settledFrom + interval <= messages.length ? settledFrom - start : undefined;
}
