/**
 * The object that mitata's `run()` resolves to, as a table. The types below are the part of mitata 1 that is read. The
 * real object is assignable to them, and mitata itself need not be installed. `version`, `layout` and `group` exist
 * when mitata runs but not in its own declarations, hence they are optional here.
 */

import { spreadOf } from "./comparison.ts";
import { type Benchmark, failureText, type HarnessRun, type Timing } from "./harness.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { harnessTable } from "./harness-table.ts";
import { formatNumber } from "./numbers.ts";
import { refuseMisshapen } from "./shape.ts";
import { type LabelledValue, NO_NUMBER, type Table } from "./table.ts";

export interface MitataResult {
  readonly context: {
    readonly runtime: string | null;
    readonly version?: string | null;
    readonly arch: string | null;
    /** Estimated clock frequency in GHz. */
    readonly cpu: { readonly name: string | null; readonly freq: number };
  };
  readonly benchmarks: readonly MitataTrial[];
  /** The groups, by their number; one without a name has none, or 0. */
  readonly layout?: readonly { readonly name: string | number | null }[];
}

/** One `bench()`, with a run for each combination of its arguments. */
export interface MitataTrial {
  readonly baseline: boolean;
  /** Index in `MitataResult.layout`. */
  readonly group?: number;
  readonly runs: readonly MitataRun[];
}

export interface MitataRun {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly stats?: MitataStats | null | undefined;
  /** What the benchmark threw, if there are no stats. */
  readonly error?: unknown;
}

/**
 * Statistics of one run's samples; times in nanoseconds per iteration, null where JSON was made of a value that is not
 * a number. What a program has saved may lack any of them.
 */
export interface MitataStats {
  readonly avg?: number | null | undefined;
  readonly min?: number | null | undefined;
  readonly p50?: number | null | undefined;
  readonly p75?: number | null | undefined;
  readonly p99?: number | null | undefined;
  readonly p999?: number | null | undefined;
  readonly max?: number | null | undefined;
  /** Null in a result that was saved without them. */
  readonly samples?: readonly (number | null)[] | null | undefined;
  /** Iterations in all samples. */
  readonly ticks?: number | null | undefined;
  /** Growth of the heap, in bytes per iteration. */
  readonly heap?: { readonly avg: number | null } | undefined;
  /** Time of the collection forced after each sample, in nanoseconds. */
  readonly gc?: { readonly avg: number | null } | undefined;
}

/** What mitata's own loop calls at once where one call is short. */
const BATCH = 4096;

/**
 * A row per run, in mitata's order; a run that threw has its error and no numbers.
 *
 * @throws {TypeError} with one line, for a value that `run()` of mitata 1 did not resolve to.
 * @throws {RangeError} with one line, for options that do not fit it.
 */
export function fromMitata(result: MitataResult, options: HarnessOptions = {}): Table {
  return harnessTable(mitataRun(result), options);
}

/** Throws as `fromMitata` does for a value that `run()` did not resolve to. */
export function mitataRun(result: MitataResult): HarnessRun {
  refuseMisshapen("fromMitata", "what run() of mitata 1 resolves to", result, SHAPE);
  return {
    harness: "mitata",
    provenance: machine(result),
    benchmarks: result.benchmarks.flatMap((trial) =>
      trial.runs.map((run) => benchmarkOf(result, trial, run)),
    ),
    sampling:
      `A sample of mitata is one call or, of a fast benchmark, the mean of a batch of ${BATCH}, all of them in one ` +
      "process. Of more than 12 samples it drops the two fastest and the two slowest.",
  };
}

const STATS = { "samples?": ["anything"], "heap?": {}, "gc?": {} } as const;
const RUN = { name: "text", "args?": {}, "stats?": STATS } as const;
const SHAPE = {
  context: { cpu: {} },
  benchmarks: [{ runs: [RUN] }],
  "layout?": ["anything"],
} as const;

function benchmarkOf(result: MitataResult, trial: MitataTrial, run: MitataRun): Benchmark {
  return {
    name: runName(trial, run),
    group: groupName(result, trial),
    isBaseline: trial.baseline,
    ...(run.stats == null
      ? { status: "error" in run ? failureText(run.error) : NO_NUMBER }
      : { timing: timingOf(run.stats), status: "completed" }),
  };
}

function timingOf({ avg, min, p50, p75, p99, p999, max, heap, gc, samples, ticks }: MitataStats): Timing {
  return {
    mean: figure(avg),
    min: figure(min),
    median: figure(p50),
    p75: figure(p75),
    p99: figure(p99),
    p999: p999 === undefined ? undefined : figure(p999),
    max: figure(max),
    ...(areNumbers(samples) && samples.length > 1 ? { spread: spreadOf(samples) } : {}),
    samples: samples?.length,
    callsPerSample: samples == null || ticks == null ? undefined : ticks / samples.length,
    iterations: ticks ?? undefined,
    // Without a sample in which the heap grew, or a collection was forced, these have no mean.
    heap: finiteOf(heap),
    gc: finiteOf(gc),
  };
}

function areNumbers(samples: MitataStats["samples"]): samples is readonly number[] {
  return samples?.every(Number.isFinite) ?? false;
}

function finiteOf(stats: MitataStats["heap"]): number | undefined {
  return typeof stats?.avg === "number" && Number.isFinite(stats.avg) ? stats.avg : undefined;
}

/** JSON has null for a value that is not a number. */
function figure(time: number | null | undefined): number {
  return time ?? Number.NaN;
}

function machine({ context: { runtime, version, arch, cpu } }: MitataResult): LabelledValue[] {
  const known = [runtime, version, arch == null ? null : `(${arch})`].filter((part) => part != null);
  const lines: LabelledValue[] = [];
  if (known.length > 0) lines.push(["Runtime", known.join(" ")]);
  if (cpu.name != null) lines.push(["CPU", cpu.name]);
  if (Number.isFinite(cpu.freq)) lines.push(["Clock frequency", `about ${formatNumber(cpu.freq, 3)} GHz`]);
  return lines;
}

function groupName({ layout }: MitataResult, { group }: MitataTrial): string | null {
  const name = group === undefined ? null : layout?.[group]?.name;
  return typeof name === "string" ? name : null;
}

/** mitata puts arguments into a name only where the name asks for it, so runs of one trial may share theirs. */
function runName({ runs }: MitataTrial, { name, args }: MitataRun): string {
  if (runs.filter((run) => run.name === name).length === 1) return name;
  const list = Object.entries(args ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${name} (${list.join(", ")})`;
}
