import { shown } from "../../shared/arguments.ts";
import type { Buckets } from "./buckets.ts";

/** Throws an Error for what a counter cannot be raised by: prom-client refuses the same, and takes fractions. */
export function assertAddable(n: number): void {
  if (!(Number.isSafeInteger(n) && n >= 0)) throw refusedAdd(n);
}

/** Throws an Error for what a histogram of these buckets cannot record. */
export function assertRecordable(value: number, buckets: Buckets): void {
  if (!(typeof value === "number" && value >= 0 && value <= buckets.most)) throw refusedValue(value, buckets);
}

/** Throws a TypeError for what is no finite number. */
export function assertNumber(method: string, value: number): void {
  if (!Number.isFinite(value)) throw notFinite(method, value);
}

/** Throws a TypeError where labels stand behind the number. */
export function assertNoLabels(method: string, labels: undefined): void {
  if (labels !== undefined) throw labelsElsewhere(method);
}

function refusedAdd(n: number): Error {
  if (!Number.isFinite(n)) return notFinite("add", n);
  if (n < 0) return new RangeError(`add: ${n} would lower the counter: a counter only rises`);
  return new RangeError(
    `add: ${n} is not an integer up to 2^53 - 1: count in a smaller unit, such as bytes or microseconds`,
  );
}

function refusedValue(value: number, { most }: Buckets): Error {
  if (!Number.isFinite(value)) return notFinite("record", value);
  if (value < 0) return new RangeError(`record: ${value} is negative: record values of 0 or more`);
  return new RangeError(`record: ${value} is more than ${most}, up to which sums are exact`);
}

function notFinite(method: string, value: unknown): TypeError {
  return typeof value === "object" && value !== null
    ? labelsElsewhere(method)
    : new TypeError(`${method}: ${shown(value)} is not a finite number`);
}

function labelsElsewhere(method: string): TypeError {
  return new TypeError(
    `${method} takes a number alone: labels come before it, as in labels({ … }).${method}(1)`,
  );
}
