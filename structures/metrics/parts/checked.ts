import type { Buckets } from "./buckets.ts";

/** Throws an Error for what a counter cannot be raised by: prom-client refuses the same, and takes fractions. */
export function assertAddable(n: number): void {
  if (!(Number.isSafeInteger(n) && n >= 0)) throw refusedAdd(n);
}

/** Throws an Error for what a histogram of these buckets cannot record. */
export function assertRecordable(value: number, buckets: Buckets): void {
  if (!(value >= 0 && value <= buckets.most)) throw refusedValue(value, buckets);
}

function refusedAdd(n: number): Error {
  if (!Number.isFinite(n)) return new TypeError(`add: ${n} is not a finite number`);
  if (n < 0) return new RangeError(`add: ${n} would lower the counter: a counter only rises`);
  return new RangeError(
    `add: ${n} is not an integer up to 2^53 - 1: count in a smaller unit, such as bytes or microseconds`,
  );
}

function refusedValue(value: number, { most }: Buckets): Error {
  if (!Number.isFinite(value)) return new TypeError(`record: ${value} is not a finite number`);
  if (value < 0) return new RangeError(`record: ${value} is negative: record values of 0 or more`);
  return new RangeError(`record: ${value} is more than ${most}, up to which sums are exact`);
}
