import { chiSquareFloor, chiSquareLimit, chiSquareOf } from "./chi-square.ts";
import { MOST_TELLING, offMean, uniformMean } from "./off-mean.ts";

/**
 * Whether numbers were drawn, each for itself and all values as likely. A test that only looks for too much unevenness takes
 * counting for drawing: so each statistic is held to both its tails.
 *
 * False alarms. A look at an excerpt has four tails and a look at sums two. Honest draws lie beyond one of them with a
 * probability of at most e^-30. A bench run with --all looks at most 330,000 times at each. It has 16 scenarios, 4
 * worker counts, 10 competitors that draw, 64 processes and 8 accounts in each. So one run in five million raises a
 * false alarm.
 */
const UNLIKELINESS = 30;

/**
 * Whether draws from 0 .. values - 1 look drawn, one by one: how often each value came, and how often
 * each came after each other (the serial test: Knuth, The Art of Computer Programming, vol. 2, 3.3.2 B). Both are wrong
 * if they are too uneven, and as wrong if they are too even, as where a competitor counts. Returns undefined, or what
 * is wrong in half a sentence. Reports nothing for too few draws, where chance alone could be as uneven.
 *
 * Pairs do not overlap, so that they are independent. Where values are many they are put into groups, eight at most.
 */
export function unlikeDraws(sequences: readonly Int32Array[], values: number): string | undefined {
  const draws = sequences.reduce((sum, { length }) => sum + length, 0);
  const pairs = sequences.reduce((sum, { length }) => sum + (length >> 1), 0);
  const groups = Math.min(values, MOST_GROUPS, Math.floor(Math.sqrt(pairs / FEWEST_EXPECTED)));
  if (groups < 2) return undefined;
  const groupOf = (value: number) => Math.floor((value * groups) / values);
  const shares = new Array<number>(groups).fill(0);
  for (let value = 0; value < values; value++) shares[groupOf(value)]! += 1 / values;

  const counts = new Array<number>(groups).fill(0);
  const followed = new Array<number>(groups * groups).fill(0);
  for (const sequence of sequences) {
    for (const value of sequence) counts[groupOf(value)]!++;
    for (let at = 1; at < sequence.length; at += 2)
      followed[groupOf(sequence[at - 1]!) * groups + groupOf(sequence[at]!)]!++;
  }
  const ofPairs = shares.flatMap((first) => shares.map((second) => pairs * first * second));
  const ofValues = shares.map((share) => draws * share);
  return (
    countsOutside("counts of values are", counts, ofValues) ??
    countsOutside("counts of pairs of values are", followed, ofPairs)
  );
}

function countsOutside(what: string, counts: readonly number[], expected: readonly number[]) {
  return outside(what, chiSquareOf(counts, expected), counts.length, Math.min(...expected));
}

const MOST_GROUPS = 8;
/** Of each pair of groups, about. */
const FEWEST_EXPECTED = 20;

/** The number of draws, and their sum modulo 2^32. */
export interface Sum {
  readonly draws: number;
  readonly checksum: number;
}

/**
 * The same from sums alone, over stretches that share no draw. Their distances from the mean, in standard errors,
 * squared and added up, are a chi-square. Sees what is spread over more draws than an excerpt has, as a shuffled bag.
 */
export function unlikeSums(sums: readonly Sum[], values: number): string | undefined {
  if (values === 1) return undefined;
  const squares = sums.flatMap(({ draws, checksum }) => {
    const standardError = Math.sqrt((draws * (values ** 2 - 1)) / 12);
    const isTelling = draws >= LEAST_DRAWS && BEYOND_ALL * standardError < MOST_TELLING;
    return isTelling ? (offMean(checksum, draws, uniformMean(values)) / standardError) ** 2 : [];
  });
  if (squares.length < FEWEST_SUMS) return undefined;
  const chiSquare = squares.reduce((sum, square) => sum + square, 0);
  return outside(
    `the sums of ${squares.length} stretches are`,
    chiSquare,
    squares.length + 1,
    Number.POSITIVE_INFINITY,
  );
}

/** The stretches between looks; each look has the sum of all draws until then. */
export function stretchesBetween(looks: readonly Sum[]): Sum[] {
  return looks.map(({ draws, checksum }, look) => {
    const from = looks[look - 1] ?? { draws: 0, checksum: 0 };
    return { draws: draws - from.draws, checksum: (checksum - from.checksum) | 0 };
  });
}

/** Draws of a stretch: enough that its sum may take hundreds of values. */
const LEAST_DRAWS = 100_000;
/** Fewer may all be right at the mean by chance. */
const FEWEST_SUMS = 6;
/** Standard errors. */
const BEYOND_ALL = 10;

/** At least `expected` in each cell; without end where the statistic is no sum over counts. */
function outside(what: string, chiSquare: number, cells: number, expected: number): string | undefined {
  const most = chiSquareLimit(cells, UNLIKELINESS);
  if (chiSquare > most)
    return `${what} too uneven: chi-square ${chiSquare.toFixed(1)} over ${most.toFixed(1)}`;
  const least = chiSquareFloor(cells, expected, UNLIKELINESS);
  return chiSquare >= least
    ? undefined
    : `${what} too even: chi-square ${chiSquare.toPrecision(3)} under ${least.toPrecision(3)}`;
}
