/**
 * A finished tinybench `Bench` as a table. The types below are the part of tinybench 5 and 6 that is read. A real
 * `Bench` is assignable to them, and tinybench itself need not be installed.
 */
import { type Benchmark, failureText, type HarnessRun, type Timing } from "./harness.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { harnessTable } from "./harness-table.ts";
import { refuseMisshapen, refuseResult } from "./shape.ts";
import type { Table } from "./table.ts";

export interface TinybenchBench {
  readonly name?: string | undefined;
  readonly runtime: string;
  readonly runtimeVersion: string;
  /** What ran at the same time: calls of one task, whole tasks, or (null) nothing. */
  readonly concurrency: "bench" | "task" | null;
  /** From tinybench 6 on. */
  readonly timestampProvider?: { readonly name: string } | undefined;
  readonly tasks: readonly TinybenchTask[];
}

export interface TinybenchTask {
  readonly name: string;
  /** In tinybench 5 undefined until it has run; then JSON has none, or null. */
  readonly result?: TinybenchResult | null | undefined;
}

export interface TinybenchResult {
  /** From tinybench 6 on. */
  readonly state?: string | undefined;
  /** In tinybench 5 in place of a state. */
  readonly aborted?: boolean | undefined;
  readonly error?: unknown;
  readonly latency?: TinybenchLatency | undefined;
}

/** Statistics of one task's samples; times in milliseconds, null where JSON was made of NaN or Infinity. */
export interface TinybenchLatency {
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly p50: number | null | undefined;
  readonly p75: number | null | undefined;
  readonly p99: number | null | undefined;
  readonly p999: number | null | undefined;
  /** Half the width of the 95% confidence interval of the mean. */
  readonly moe: number | null;
  readonly sd: number | null;
  /** Standard error of the mean. */
  readonly sem: number | null;
  /** From tinybench 6 on, which keeps samples only on request. */
  readonly samplesCount?: number | undefined;
  readonly samples?: readonly number[] | undefined;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

/**
 * A row per task, in the order the tasks were added; a task without a result has its state and no numbers.
 *
 * @throws {TypeError} with one line, for a value that is no `Bench` of tinybench 5 or 6.
 * @throws {RangeError} with one line, for options that do not fit it.
 */
export function fromTinybench(bench: TinybenchBench, options: HarnessOptions = {}): Table {
  return harnessTable(tinybenchRun(bench), options);
}

/** Throws as `fromTinybench` does for a value that is no `Bench`. */
export function tinybenchRun(bench: TinybenchBench): HarnessRun {
  refuseUnlessBench(bench);
  const { name, runtime, runtimeVersion, timestampProvider, concurrency, tasks } = bench;
  return {
    harness: "tinybench",
    title: name,
    provenance: [
      ["Runtime", `${runtime} ${runtimeVersion}`],
      ...(timestampProvider == null ? [] : ([["Clock", timestampProvider.name]] as const)),
      ...(concurrency == null ? [] : ([["Concurrency", concurrency]] as const)),
    ],
    benchmarks: tasks.map((task) => benchmarkOf(task, concurrency != null)),
    sampling: "tinybench timed each call by itself, all of them in one process.",
  };
}

const SHAPE = {
  runtime: "text",
  runtimeVersion: "text",
  "timestampProvider?": { name: "text" },
  tasks: [{ name: "text", "result?": { "latency?": { "samples?": ["anything"] } } }],
} as const;

function refuseUnlessBench(bench: TinybenchBench): void {
  refuseMisshapen("fromTinybench", "the Bench of tinybench 5 or 6, after its run", bench, SHAPE);
  for (const { result } of bench.tasks) {
    if (result && "mean" in result && result.latency === undefined) {
      refuseResult("fromTinybench", "results with a latency, as of tinybench 5 or 6", result);
    }
  }
}

function benchmarkOf({ name, result }: TinybenchTask, isConcurrent: boolean): Benchmark {
  const timing = result?.latency ? { ...tinybenchTiming(result.latency), isConcurrent } : undefined;
  return { name, timing, status: statusOf(result ?? {}) };
}

function statusOf(result: TinybenchResult): string {
  if (result.error !== undefined) return failureText(result.error);
  switch (result.state) {
    case undefined:
      return statusWithoutState(result);
    case "not-started":
      return "not started";
    case "aborted-with-statistics":
      return "aborted early";
    default:
      return result.state;
  }
}

/** Of tinybench 5. */
function statusWithoutState({ aborted, latency }: TinybenchResult): string {
  if (aborted) return latency === undefined ? "aborted" : "aborted early";
  return latency === undefined ? "not started" : "completed";
}

/** Statistics in milliseconds of samples of one call each. */
export function tinybenchTiming(latency: TinybenchLatency): Timing {
  // JSON has null for a value that is not a number.
  const time = (milliseconds: number | null | undefined) =>
    milliseconds === undefined ? undefined : (milliseconds ?? Number.NaN) * NANOSECONDS_PER_MILLISECOND;
  const { mean, moe, sd, sem, samples } = latency;
  const samplesCount = latency.samplesCount ?? samples?.length;
  return {
    mean: time(mean) ?? Number.NaN,
    min: time(latency.min),
    median: time(latency.p50),
    p75: time(latency.p75),
    p99: time(latency.p99),
    p999: time(latency.p999),
    max: time(latency.max),
    // The spread of a single sample is unknown; tinybench reports it as zero.
    ...(samplesCount !== undefined && samplesCount > 1
      ? {
          spread: {
            marginOfError: time(moe) ?? Number.NaN,
            standardDeviation: time(sd) ?? Number.NaN,
            standardError: time(sem) ?? Number.NaN,
          },
        }
      : {}),
    samples: samplesCount,
    callsPerSample: 1,
  };
}
