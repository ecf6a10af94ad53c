/**
 * A finished tinybench `Bench` as a table. The types below are the part of tinybench 6 that is read; a real `Bench`
 * is assignable to them, and tinybench itself need not be installed.
 */
import { failureText, finiteOrNull, type HarnessOptions, TIME_UNITS } from "./harness.ts";
import { formatThroughput } from "./numbers.ts";
import type { Cell, Column, Row, Table } from "./table.ts";

export interface TinybenchBench {
  readonly name?: string | undefined;
  readonly runtime: string;
  readonly runtimeVersion: string;
  /** What ran at the same time: calls of one task, whole tasks, or (null) nothing. */
  readonly concurrency: "bench" | "task" | null;
  readonly timestampProvider: { readonly name: string };
  readonly tasks: readonly TinybenchTask[];
}

export interface TinybenchTask {
  readonly name: string;
  readonly result: TinybenchResult;
}

export type TinybenchResult =
  | { readonly state: "completed" | "aborted-with-statistics"; readonly latency: TinybenchLatency }
  | { readonly state: "errored"; readonly error: unknown }
  | { readonly state: "aborted" | "not-started" | "started" };

/** Statistics of one task's samples; times in milliseconds. */
export interface TinybenchLatency {
  readonly mean: number;
  /** Half the width of the 95% confidence interval of the mean. */
  readonly moe: number;
  readonly sd: number;
  readonly p50: number;
  readonly p99: number;
  readonly samplesCount: number;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;
const MILLISECONDS_PER_SECOND = 1e3;

/** A row per task, in the order the tasks were added; a task without a result has its state and no numbers. */
export function fromTinybench(bench: TinybenchBench, options: HarnessOptions = {}): Table {
  const { symbol, nanoseconds } = TIME_UNITS[options.timeUnit ?? "ns"];
  const unit = `${symbol}/op`;
  // Where calls overlap, one over the latency is not a throughput.
  const hasThroughput = bench.concurrency === null;
  const hasStatus = bench.tasks.some(({ result }) => result.state !== "completed");

  const columns: Column[] = [
    { key: "task", title: "Task", align: "left" },
    { key: "mean", title: "Mean", unit, align: "right" },
    { key: "error", title: "Error", unit, align: "right" },
    { key: "stdDev", title: "StdDev", unit, align: "right" },
    { key: "median", title: "Median", unit, align: "right" },
    { key: "p99", title: "p99", unit, align: "right" },
  ];
  if (hasThroughput) columns.push({ key: "throughput", title: "Throughput", align: "right" });
  columns.push({ key: "samples", title: "Samples", align: "right" });
  if (hasStatus) columns.push({ key: "status", title: "Status", align: "left" });

  const rowOf = ({ name, result }: TinybenchTask): Row => {
    const cells: Record<string, Cell> = { task: name };
    if (hasStatus) cells.status = statusCell(result);
    if (result.state === "completed" || result.state === "aborted-with-statistics") {
      const { mean, moe, sd, p50, p99, samplesCount } = result.latency;
      const time = (milliseconds: number) =>
        finiteOrNull((milliseconds * NANOSECONDS_PER_MILLISECOND) / nanoseconds);
      cells.mean = time(mean);
      // The spread of a single sample is unknown; tinybench reports it as zero.
      cells.error = samplesCount > 1 ? time(moe) : null;
      cells.stdDev = samplesCount > 1 ? time(sd) : null;
      cells.median = time(p50);
      cells.p99 = time(p99);
      if (hasThroughput && mean > 0) cells.throughput = formatThroughput(MILLISECONDS_PER_SECOND / mean);
      cells.samples = samplesCount;
    }
    return { cells };
  };

  const legend = [
    "Mean, StdDev, Median and p99 are of the latency samples that tinybench took in one process.",
    "Error is the half width of the 95% confidence interval of the mean over these samples. The run was not " +
      "replicated over processes, so differences from process to process are not in it.",
  ];
  if (hasThroughput) {
    legend.push(
      "Throughput is one over the mean latency; the mean of the rates of single samples, which tinybench prints, " +
        "is higher.",
    );
  }
  return {
    title: options.title ?? bench.name ?? "tinybench",
    provenance: [
      ["Harness", "tinybench"],
      ["Runtime", `${bench.runtime} ${bench.runtimeVersion}`],
      ["Clock", bench.timestampProvider.name],
      ...(bench.concurrency === null ? [] : ([["Concurrency", bench.concurrency]] as const)),
      ...(options.provenance ?? []),
    ],
    columns,
    rows: bench.tasks.map(rowOf),
    legend,
  };
}

function statusCell(result: TinybenchResult): string {
  switch (result.state) {
    case "errored":
      return failureText(result.error);
    case "not-started":
      return "not started";
    case "aborted-with-statistics":
      return "aborted early";
    default:
      return result.state;
  }
}
