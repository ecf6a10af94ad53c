import type { CellRecord } from "../schema/record.ts";
import type { JudgedMeasured } from "../schema/verdict.ts";
import { mean, type Sample, squaresOf, studentP } from "../statistics.ts";
import { LEAST_APART, ROW_ERROR } from "./verdict.ts";

/**
 * Rows that V8 compiled in several ways. Which code a process ran is in the record (see ../measure/machine/compiled-code.ts), so
 * processes are grouped by it without a look at what they cost.
 */

/** Undefined where it was not noted. */
export function versionIn(cell: CellRecord | undefined, role: string, fork: number): string | undefined {
  return cell?.roles[role]?.compiled?.[fork] || undefined;
}

/** A version with fewer processes says nothing about itself: they are in neither group. */
const FEWEST_OF_VERSION = 3;

/** The places of their values, those of the lower group first. */
export type TwoGroups = readonly [low: readonly number[], high: readonly number[]];

/**
 * Two groups of versions that differ in their values, as places of their processes, the lower one first; undefined where versions
 * do not differ. It is the clearest of all divisions of k versions in two, by the t of the difference. Chance has 2^(k - 1) - 1
 * draws (Bonferroni), of which the clearest has all lower means on one side (Fisher 1958).
 */
export function dividedByVersion(
  values: Sample,
  versions: readonly (string | undefined)[],
): TwoGroups | undefined {
  const valuesAt = (places: readonly number[]) => places.map((place) => values[place]!);
  const known = [...values.keys()].filter((place) => versions[place] !== undefined);
  const inOrder = [...Map.groupBy(known, (place) => versions[place]!).values()]
    .filter(({ length }) => length >= FEWEST_OF_VERSION)
    .toSorted((one, other) => mean(valuesAt(one)) - mean(valuesAt(other)));
  const divisions = inOrder.slice(1).map((_, cut) => {
    const [low, high] = [inOrder.slice(0, cut + 1).flat(), inOrder.slice(cut + 1).flat()];
    return { low, high, t: tBetween(valuesAt(low), valuesAt(high)) };
  });
  const [clearest] = divisions.toSorted((one, other) => other.t - one.t);
  if (clearest === undefined) return undefined;
  const { low, high, t } = clearest;
  const byChance = studentP(t, low.length + high.length - 2) * (2 ** (inOrder.length - 1) - 1);
  const apart = mean(valuesAt(high)) - mean(valuesAt(low));
  return byChance < ROW_ERROR && apart >= LEAST_APART ? [low, high] : undefined;
}

/** Student's t of the difference of two means. */
function tBetween(low: Sample, high: Sample): number {
  const variance = (squaresOf(low) + squaresOf(high)) / (low.length + high.length - 2);
  return (mean(high) - mean(low)) / Math.sqrt(variance * (1 / low.length + 1 / high.length));
}

type Processes = JudgedMeasured["processes"];

function waysOf(processes: Processes) {
  return dividedByVersion(
    processes.map(({ ns }) => Math.log(ns)),
    processes.map(({ compiled }) => compiled),
  );
}

/** `compiled in two ways: 18.2 ns in 5 of 14 processes, 58.1 ns in 9`; undefined where the versions of a row cost the same. */
export function compiledText(processes: Processes): string | undefined {
  const ways = waysOf(processes)?.map((places) => {
    const ns = Math.exp(mean(places.map((place) => Math.log(processes[place]!.ns))));
    return `${ns.toPrecision(3)} ns in ${places.length}`;
  });
  return ways && `compiled in two ways: ${ways[0]} of ${processes.length} processes, ${ways[1]}`;
}

/** The share of processes that are compiled the slow way has to change by as much to be worth a remark. */
const LEAST_CHANGE = 0.5;

/**
 * `now compiled the slow way in 9 of 10 processes, before in 1 of 10`, of one row at two commits. Undefined where that did not
 * change, and where they have no version in common: then the code itself is another.
 */
export function changeText(before: Processes, after: Processes): string | undefined {
  const ways = waysOf([...before, ...after]);
  const known = new Set(before.flatMap(({ compiled }) => compiled ?? []));
  if (ways === undefined || !after.some(({ compiled = "" }) => known.has(compiled))) return undefined;
  const [was, is] = [before, after].map((own, side) => {
    const [fast, slow] = ways.map(
      (places) => places.filter((place) => place < before.length === (side === 0)).length,
    );
    return { fast: fast!, slow: slow!, all: own.length, share: slow! / (fast! + slow!) };
  }) as [Counts, Counts];
  if (!(Math.abs(is.share - was.share) >= LEAST_CHANGE)) return undefined;
  const way = is.share > was.share ? "slow" : "fast";
  return `now compiled the ${way} way in ${is[way]} of ${is.all} processes, before in ${was[way]} of ${was.all}`;
}

/** Of the processes of one commit. */
interface Counts {
  readonly fast: number;
  readonly slow: number;
  readonly all: number;
  /** Of the slow ones among those whose way is known. */
  readonly share: number;
}
