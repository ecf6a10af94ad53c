/**
 * The promises of metrics with labels, of gauges and of quantiles, besides those that every competitor keeps. Each returns
 * undefined, or one sentence that says what broke and by how much.
 */

/** A registry shows, line by line, what prom-client's own metrics show that were given the same. */
export function shownAsPromClient(shown: string, expected: string): string | undefined {
  if (shown === expected) return undefined;
  const [ours, theirs] = [shown.split("\n"), expected.split("\n")];
  const at = theirs.findIndex((line, index) => line !== ours[index]);
  return `shownAsPromClient: line ${at + 1} is ${ours[at]}, and prom-client's ${theirs[at]}`;
}

/** A quantile is a value that was recorded, right but for the error where the value is in the range, and never beyond the extremes. */
export function quantilesAreRecorded(
  q: number,
  stated: number,
  sorted: readonly number[],
  { from, to, error }: { readonly from: number; readonly to: number; readonly error: number },
): string | undefined {
  const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1]!;
  const isInRange = exact >= from && exact <= to;
  const isWithin = stated >= sorted[0]! && stated <= sorted.at(-1)!;
  return isWithin && (!isInRange || Math.abs(stated - exact) <= error * exact)
    ? undefined
    : `quantilesAreRecorded: quantile ${q} is stated as ${stated}, and is ${exact} of ${sorted[0]} to ${sorted.at(-1)}`;
}

/** A reading has the least recorded value and the greatest. */
export function extremesAreRecorded(stated: string, recorded: string): string | undefined {
  return stated === recorded
    ? undefined
    : `extremesAreRecorded: they are ${stated}, and ${recorded} were recorded`;
}

/** A gauge is what the workers that hold a seat have set, put together; a new holder begins at 0. */
export function gaugesAreOfHolders(read: readonly number[], set: readonly number[]): string | undefined {
  return String(read) === String(set) ? undefined : `gaugesAreOfHolders: ${read} is read where ${set} is set`;
}

/** A timer records the seconds that passed, in the series that it is told at its end. */
export function timersCountSeconds(recorded: number, returned: number, passed: number): string | undefined {
  return Math.abs(recorded - returned) < 1e-5 && returned >= 0 && returned <= passed
    ? undefined
    : `timersCountSeconds: ${recorded} s are recorded and ${returned} returned, of at most ${passed}`;
}

/** A reader sees doubles that were stored, and in their order: which of them each is, or -1. */
export function doublesAreWhole(seen: readonly number[]): string | undefined {
  return seen.every((which, at) => which >= (seen[at - 1] ?? 0))
    ? undefined
    : `doublesAreWhole: a reader saw the doubles number ${seen}, of which -1 was never stored`;
}

/** A reader that finds values counted finds extremes that have room for them. */
export function extremesCoverBuckets(counted: number, areThere: boolean): string | undefined {
  return counted === 0 || areThere
    ? undefined
    : `extremesCoverBuckets: ${counted} values are counted, and there is neither a least nor a greatest`;
}
