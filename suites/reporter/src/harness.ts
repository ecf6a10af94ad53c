/**
 * What the adapters for other harnesses have in common: what they read from a result. All samples of a run come from one
 * process.
 */
import type { Spread } from "./comparison.ts";
import type { LabelledValue } from "./table.ts";

/** What a harness says of its run. */
export interface HarnessRun {
  readonly harness: string;
  readonly title?: string | undefined;
  /** Printed behind the harness's name. */
  readonly provenance: readonly LabelledValue[];
  readonly benchmarks: readonly Benchmark[];
  /** How samples were taken; the first line of the legend. */
  readonly sampling: string;
}

/** Which figure of the samples benchmarks are compared by. */
export type Statistic = "mean" | "median";

export interface Benchmark {
  readonly name: string;
  readonly group?: string | null | undefined;
  /** Whether it is the harness's own baseline. */
  readonly isBaseline?: boolean | undefined;
  readonly timing?: Timing | undefined;
  /** How it ended: `completed`, or what kept it from that. */
  readonly status: string;
}

/**
 * Times are of one call, in nanoseconds. What a harness does not say is undefined; what it could not measure is not
 * finite.
 */
export interface Timing {
  readonly mean: number;
  readonly min: number | undefined;
  readonly median: number | undefined;
  readonly p75: number | undefined;
  readonly p99: number | undefined;
  readonly p999: number | undefined;
  readonly max: number | undefined;
  /** Absent for a single sample, and where the samples were not kept. */
  readonly spread?: Spread | undefined;
  readonly samples: number | undefined;
  /** Whether calls overlapped: one over the latency is no throughput then. */
  readonly isConcurrent?: boolean | undefined;
  /** Calls in one sample, whose time the clock took as a whole. */
  readonly callsPerSample: number | undefined;
  /** Calls in all samples, if samples have several. */
  readonly iterations?: number | undefined;
  /** Growth of the heap, in bytes per call. */
  readonly heap?: number | undefined;
  /** Of a collection that was forced after each sample. */
  readonly gc?: number | undefined;
}

/** One line about what a task threw, which need not be an Error. */
export function failureText(thrown: unknown): string {
  const message = typeof thrown === "object" && thrown !== null ? messageOf(thrown) : thrown;
  const [firstLine = ""] = String(message)
    .trim()
    .split(/\r\n|\r|\n/);
  return firstLine === "" ? "error without a message" : `error: ${firstLine}`;
}

function messageOf(thrown: object): unknown {
  return "message" in thrown ? thrown.message : "";
}

/** Whether a figure can be divided by. */
export function isAboveZero(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}
