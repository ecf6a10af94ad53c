import { FIGURE_CONFIDENCE } from "../../judge/verdict.ts";
import { mean, type Sample, standardDeviation, studentQuantile, sum } from "../../statistics.ts";

/**
 * How the time of an operation grows with a number n: t = a + c f(n), with an overhead a and a cost c of 0 or more. Pure.
 *
 * Each f is fitted by least squares of relative errors, f = n^b for each exponent b and the usual classes. What fits worse than
 * the best of them by more than chance and LACK_OF_FIT explain is excluded. A class is named only where it alone is left.
 */

/** Times at one n: logarithms of ns, one for each process. */
export interface Point {
  readonly n: number;
  readonly logNs: Sample;
}

export interface Growth {
  /** The b of a + c n^b that fits best, and the bounds of what fits as well; 0 where no growth is seen. */
  readonly exponent: number;
  readonly low: number;
  readonly high: number;
  /** Those that are not excluded, the best first; none where all are. */
  readonly classes: readonly string[];
  /** Of the excluded classes the one that fits best; undefined where none is excluded. */
  readonly nearest: string | undefined;
  /** How many points it was fitted to. */
  readonly points: number;
}

/** With fewer points any curve fits. */
export const FEWEST_POINTS = 4;
/** Over less than this factor of n, most curves look alike. */
export const LEAST_SPAN = 8;

/** No real program keeps to a formula more closely than by this share: caches end, and V8 compiles each n anew. */
const LACK_OF_FIT = 0.02;
/** Of a normal distribution, at the confidence of figures. */
const NORMAL = 2.576;
/** Those of a + c n^b. */
const PARAMETERS = 3;
const MOST_EXPONENT = 4;
const STEPS = 400;

const CONSTANT = "O(1)";
const CLASSES: Readonly<Record<string, (n: number) => number>> = {
  [CONSTANT]: () => 0,
  "O(log n)": Math.log,
  "O(n)": (n) => n,
  "O(n log n)": (n) => n * Math.log(n),
  "O(n^2)": (n) => n ** 2,
  "O(n^3)": (n) => n ** 3,
};

/** Undefined where points are too few, or too near one another. All n are 1 or more. */
export function growthOf(points: readonly Point[]): Growth | undefined {
  const ns = points.map(({ n }) => n);
  if (new Set(ns).size < FEWEST_POINTS || Math.max(...ns) < LEAST_SPAN * Math.min(...ns)) return undefined;
  const misfit = misfitsOf(points);
  const powers = Array.from({ length: STEPS + 1 }, (_, step) => {
    const exponent = (MOST_EXPONENT * step) / STEPS;
    return { exponent, misfit: misfit((n) => (exponent === 0 ? 0 : n ** exponent)) };
  });
  const classes = Object.entries(CLASSES)
    .map(([name, of]) => ({ name, misfit: misfit(of) }))
    .sort((a, b) => a.misfit - b.misfit);
  const bestPower = powers.reduce((best, one) => (one.misfit < best.misfit ? one : best));
  const best = Math.min(bestPower.misfit, classes[0]!.misfit);
  const limit = limitOf(best, points.length);
  // What costs nothing per n fits as well as no growth does, whatever its f. A limit that is wide for want of points shows none of it.
  if (classes.find(({ name }) => name === CONSTANT)!.misfit <= best + NORMAL ** 2)
    return { exponent: 0, low: 0, high: 0, classes: [CONSTANT], nearest: undefined, points: points.length };
  const likely = powers
    .filter((one) => one.misfit <= bestPower.misfit + limit)
    .map(({ exponent }) => exponent);
  const isLeft = (one: { readonly misfit: number }) => one.misfit <= best + limit;
  return {
    exponent: bestPower.exponent,
    low: Math.min(...likely),
    high: Math.max(...likely),
    classes: classes.filter(isLeft).map(({ name }) => name),
    nearest: classes.find((one) => !isLeft(one))?.name,
    points: points.length,
  };
}

/** By how much more another f may miss: what chance does at most, and more where even the best misses by more than it should. */
function limitOf(best: number, points: number): number {
  const freedom = points - PARAMETERS;
  const seen = studentQuantile((1 + FIGURE_CONFIDENCE) / 2, freedom);
  return Math.max(NORMAL ** 2, (seen ** 2 * best) / freedom);
}

/**
 * The least sum over points of the squared relative error of a + c f(n), each in units of what is expected of it, for a and c of
 * 0 or more.
 */
export function misfitsOf(points: readonly Point[]): (of: (n: number) => number) => number {
  // Relative: 1 = a / t + c f / t.
  const rows = points.map(({ n, logNs }) => {
    const scatter = logNs.length > 1 ? standardDeviation(logNs) ** 2 / logNs.length : 0;
    return { n, one: Math.exp(-mean(logNs)), weight: 1 / (LACK_OF_FIT ** 2 + scatter) };
  });
  return (of) => {
    const fitted = rows.map(({ n, one, weight }) => ({ one, f: of(n) * one, weight }));
    const total = (term: (one: number, f: number) => number) =>
      sum(fitted.map(({ one, f, weight }) => weight * term(one, f)));
    const [aa, af, ff] = [total((one) => one ** 2), total((one, f) => one * f), total((_, f) => f ** 2)];
    const [ya, yf] = [total((one) => one), total((_, f) => f)];
    const miss = (a: number, c: number) => total((one, f) => (1 - a * one - c * f) ** 2);
    const determinant = aa * ff - af ** 2;
    const [a, c] = [(ya * ff - yf * af) / determinant, (yf * aa - ya * af) / determinant];
    if (determinant > 1e-12 * aa * ff && a >= 0 && c >= 0) return miss(a, c);
    return Math.min(miss(ya / aa, 0), ff === 0 ? Number.POSITIVE_INFINITY : miss(0, yf / ff));
  };
}

/** `O(n), not O(n log n)`. A list of more classes than two says no more than that times are too noisy, or points too few. */
export function growthText({ exponent, classes, nearest, points }: Growth): string {
  const [best, ...others] = classes;
  if (best === undefined) return `none of the usual: about n^${exponent.toFixed(2)}`;
  if (others.length > 1 && points <= FEWEST_POINTS) return "too few points";
  if (others.length > 0)
    return `cannot tell ${best} from ${others.length > 2 ? `${others.length} others` : others.join(", ")}`;
  return nearest === undefined ? best : `${best}, not ${nearest}`;
}
