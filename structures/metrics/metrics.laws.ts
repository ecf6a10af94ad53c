import type { MetricsCompetitor, Totals } from "./metrics.contract.ts";

/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke and
 * by how much.
 */

/** At rest, what was added is counted. A counter that is exact to less than 2^53 starts again at 0 beyond. */
export function addsAreConserved(
  { exactTo }: Pick<MetricsCompetitor, "exactTo">,
  counted: number,
  added: number,
): string | undefined {
  const expected = exactTo < Number.MAX_SAFE_INTEGER ? added % (exactTo + 1) : added;
  return counted === expected
    ? undefined
    : `addsAreConserved: ${counted} is counted where ${added} was added`;
}

/** At rest, each recorded value is counted in its bucket, and in no other. */
export function bucketsAreRight(counted: readonly number[], recorded: readonly number[]): string | undefined {
  if (counted.length !== recorded.length)
    return `bucketsAreRight: ${counted.length} buckets where the range has ${recorded.length}`;
  const index = recorded.findIndex((count, bucket) => count !== counted[bucket]);
  return index === -1
    ? undefined
    : `bucketsAreRight: bucket ${index} has ${counted[index]} where ${recorded[index]} values belong there`;
}

/** At rest, the sum of the values is right but for `tolerance`. */
export function sumIsRight(counted: number, recorded: number, tolerance: number): string | undefined {
  const error = Math.abs(counted - recorded);
  return error <= tolerance
    ? undefined
    : `sumIsRight: the sum is ${counted}, and ${recorded} was recorded: ${error} is more than ${tolerance} apart`;
}

/** A quantile is as near to the exact one as the range's error allows. */
export function quantilesAreBounded(
  q: number,
  stated: number,
  exact: number,
  error: number,
): string | undefined {
  return Math.abs(stated - exact) <= error * exact
    ? undefined
    : `quantilesAreBounded: quantile ${q} is stated as ${stated}, and is ${exact}: more than ${error} apart`;
}

/** A reader never sees less than it has seen before. */
export function readsNeverFall(
  earlier: Totals | undefined,
  { count, sum, buckets }: Totals,
): string | undefined {
  if (earlier === undefined) return undefined;
  if (count < earlier.count) return `readsNeverFall: the counter fell from ${earlier.count} to ${count}`;
  if (sum < earlier.sum) return `readsNeverFall: the sum fell from ${earlier.sum} to ${sum}`;
  const index = buckets.findIndex((inBucket, bucket) => inBucket < earlier.buckets[bucket]!);
  return index === -1
    ? undefined
    : `readsNeverFall: bucket ${index} fell from ${earlier.buckets[index]} to ${buckets[index]}`;
}

/** Beside workers that each add `step` again and again, a reader sees a multiple of it, and no more than was begun. */
export function readsAreWhole(count: number, step: number, most: number): string | undefined {
  return count % step === 0 && count >= 0 && count <= most
    ? undefined
    : `readsAreWhole: a reader saw ${count} where workers add ${step}, at most ${most} in all`;
}

/** A reader finds in the sum at least the values that it has seen counted. */
export function sumCoversBuckets({ sum, buckets }: Totals, value: number): string | undefined {
  const counted = buckets.reduce((total, inBucket) => total + inBucket, 0);
  return sum >= counted * value
    ? undefined
    : `sumCoversBuckets: a reader saw ${counted} values of ${value} counted, and a sum of ${sum}`;
}

/** The next worker in a seat adds to what the one before has counted. */
export function seatIsContinued(
  { count, sum, buckets }: Totals,
  before: Totals,
  next: Totals,
  tolerance: number,
): string | undefined {
  const recorded = (totals: Totals) => totals.buckets.reduce((total, inBucket) => total + inBucket, 0);
  const values = recorded({ count, sum, buckets });
  return count === before.count + next.count &&
    values === recorded(before) + recorded(next) &&
    Math.abs(sum - before.sum - next.sum) <= tolerance
    ? undefined
    : `seatIsContinued: ${count}, ${values} values and a sum of ${sum} are left of ${before.count} and ${next.count}, ${recorded(before)} and ${recorded(next)} values, and sums of ${before.sum} and ${next.sum}`;
}

/** Format leaves nothing counted, whatever the words held before. */
export function emptyAtFirst({ count, sum, buckets }: Totals): string | undefined {
  return count === 0 && sum === 0 && buckets.every((inBucket) => inBucket === 0)
    ? undefined
    : `emptyAtFirst: before any add ${count} is counted, ${Math.max(...buckets)} in a bucket, and a sum of ${sum}`;
}
