/** What the adapters for other harnesses have in common: their options, the unit of time, and how a failure reads. */
import type { LabelledValue } from "./table.ts";

/** Symbol and length of the units a time column can be printed in. */
export const TIME_UNITS = {
  ns: { symbol: "ns", nanoseconds: 1 },
  us: { symbol: "µs", nanoseconds: 1e3 },
  ms: { symbol: "ms", nanoseconds: 1e6 },
  s: { symbol: "s", nanoseconds: 1e9 },
} as const;

export type TimeUnit = keyof typeof TIME_UNITS;

export interface HarnessOptions {
  /** Default: the name the harness knows for this run, or else the name of the harness. */
  readonly title?: string | undefined;
  /** Printed behind what the harness itself knows about its run. */
  readonly provenance?: readonly LabelledValue[] | undefined;
  /** One unit for all times of the table, so that rows can be compared. Default `ns`. */
  readonly timeUnit?: TimeUnit | undefined;
}

/** A harness may report `Infinity` or `NaN` (the mean of no samples); in a table that is no value. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** One line about what a task threw, which need not be an Error. */
export function failureText(thrown: unknown): string {
  const message =
    typeof thrown === "object" && thrown !== null && "message" in thrown ? thrown.message : thrown;
  const [firstLine = ""] = String(message)
    .trim()
    .split(/\r\n|\r|\n/);
  return firstLine === "" ? "error without a message" : `error: ${firstLine}`;
}
