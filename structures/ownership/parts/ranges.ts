import { CONFLICT, inferred, NO_EVIDENCE, type Range } from "../ownership.contract.ts";

/** Sorted, disjoint range objects: what several structures keep, and all can be asked for. */

/** Index of the first range with end > t; ranges.length if there is none. */
export function firstEndingAfter(ranges: readonly Range[], t: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.end > t) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What kept ranges say of `t`, a time from the watermark on; a range that ends by the watermark is not kept. */
export function answerAt(
  ranges: readonly Range[],
  t: number,
  watermark: number,
  toleranceMs: number,
): number {
  const index = firstEndingAfter(ranges, t);
  const next = ranges[index];
  if (next === undefined) return NO_EVIDENCE;
  if (next.start <= t) return next.owner;
  return toleranceMs > 0 ? acrossGap(ranges[index - 1], next, watermark, toleranceMs) : NO_EVIDENCE;
}

/** The answer between two ranges that follow each other: the owner of both, where it is the same one and they are near. */
export function acrossGap(
  before: Range | undefined,
  after: Range,
  watermark: number,
  toleranceMs: number,
): number {
  const isBridged =
    before !== undefined &&
    before.end > watermark &&
    before.owner === after.owner &&
    before.owner >= 0 &&
    after.start - before.end <= toleranceMs;
  return isBridged ? inferred(before.owner) : NO_EVIDENCE;
}

/** Appends [start, end) to sorted ranges, joining it to an equal neighbour that it touches; nothing if it is empty. */
export function lay(ranges: Range[], start: number, end: number, owner: number): void {
  if (start >= end) return;
  const before = ranges.at(-1);
  if (before !== undefined && before.end === start && before.owner === owner) before.end = end;
  else ranges.push({ start, end, owner });
}

/** The owner of what one range holds already and a claim of another owner covers too. */
export type Settle = (held: number, claimed: number) => number;

/**
 * Lays a claim over sorted, disjoint ranges, at least one, in which no two of one owner touch, and leaves them so. Only
 * where both say something, and not the same, is there anything to settle.
 */
export function overlay(ranges: Range[], claim: Range, settle: Settle): void {
  const last = ranges[ranges.length - 1]!;
  // In-order claims end here: one that begins after the last range, and one that continues it.
  if (claim.start >= last.end) lay(ranges, claim.start, claim.end, claim.owner);
  else if (claim.start >= last.start && claim.owner === last.owner) last.end = Math.max(last.end, claim.end);
  else merge(ranges, claim, settle);
}

/**
 * Replaces the ranges that overlap or touch the claim by themselves and the claim laid over each other. Touching
 * ones take part so that equal neighbours join.
 */
function merge(ranges: Range[], claim: Range, settle: Settle): void {
  const first = firstEndingAfter(ranges, claim.start - 1);
  let past = first;
  const laid: Range[] = [];
  let covered = claim.start;
  for (; past < ranges.length && ranges[past]!.start <= claim.end; past++) {
    const { start, end, owner } = ranges[past]!;
    const overlapEnd = Math.min(end, claim.end);
    const settled = owner === claim.owner ? owner : settle(owner, claim.owner);
    lay(laid, start, claim.start, owner);
    lay(laid, covered, start, claim.owner);
    lay(laid, Math.max(start, claim.start), overlapEnd, settled);
    lay(laid, Math.max(start, claim.end), end, owner);
    covered = overlapEnd;
  }
  // What the last range leaves of the claim comes after all of it, unless that range outlasts the claim.
  lay(laid, covered, claim.end, claim.owner);
  ranges.splice(first, past - first, ...laid);
}

/** Lays a claim over ranges, at least one, under the rule `evidence`. */
export function addEvidence(ranges: Range[], claim: Range): void {
  overlay(ranges, claim, contested);
}

const contested: Settle = () => CONFLICT;

/** Copies of the ranges from the watermark on. */
export function keptRanges(ranges: readonly Range[], watermark: number): Range[] {
  return ranges
    .filter(({ end }) => end > watermark)
    .map(({ start, end, owner }) => ({ start: Math.max(start, watermark), end, owner }));
}
