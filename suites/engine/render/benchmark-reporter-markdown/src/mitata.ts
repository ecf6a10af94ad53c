/**
 * The object that mitata's `run()` resolves to, as a table. The types below are the part of mitata 1 that is read; the
 * real object is assignable to them, and mitata itself need not be installed. `version`, `layout` and `group` exist
 * when mitata runs but not in its own declarations, hence they are optional here.
 */
import { failureText, finiteOrNull, type HarnessOptions, TIME_UNITS } from "./harness.ts";
import { formatNumber } from "./numbers.ts";
import type { Cell, Column, LabelledValue, Row, Table } from "./table.ts";

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
  readonly args: Readonly<Record<string, unknown>>;
  readonly stats?: MitataStats | undefined;
  /** What the benchmark threw, if there are no stats. */
  readonly error?: unknown;
}

/** Statistics of one run's samples; times in nanoseconds per iteration. */
export interface MitataStats {
  readonly avg: number;
  readonly min: number;
  readonly p50: number;
  readonly p75: number;
  readonly p99: number;
  readonly max: number;
  /** Null in a result that was saved without them. */
  readonly samples: readonly number[] | null;
  /** Iterations in all samples. */
  readonly ticks: number;
  /** Growth of the heap, in bytes per iteration. */
  readonly heap?: { readonly avg: number } | undefined;
  /** Time of the collection forced after each sample, in nanoseconds. */
  readonly gc?: { readonly avg: number } | undefined;
}

const BASELINE_MARK = "†";

/** A row per run, in mitata's order; a run that threw has its error and no numbers. */
export function fromMitata(result: MitataResult, options: HarnessOptions = {}): Table {
  const { symbol, nanoseconds } = TIME_UNITS[options.timeUnit ?? "ns"];
  const unit = `${symbol}/iter`;
  const runs = result.benchmarks.flatMap((trial) => trial.runs);
  const hasGroups = result.benchmarks.some((trial) => groupName(result, trial) !== null);
  const hasHeap = runs.some(({ stats }) => stats?.heap !== undefined);
  const hasGc = runs.some(({ stats }) => stats?.gc !== undefined);
  const hasStatus = runs.some(({ stats }) => stats === undefined);

  const columns: Column[] = [{ key: "benchmark", title: "Benchmark", align: "left" }];
  if (hasGroups) columns.push({ key: "group", title: "Group", align: "left" });
  columns.push(
    { key: "mean", title: "Mean", unit, align: "right" },
    { key: "min", title: "Min", unit, align: "right" },
    { key: "median", title: "Median", unit, align: "right" },
    { key: "p75", title: "p75", unit, align: "right" },
    { key: "p99", title: "p99", unit, align: "right" },
    { key: "max", title: "Max", unit, align: "right" },
  );
  if (hasHeap) columns.push({ key: "heap", title: "Heap", unit: "B/iter", align: "right" });
  if (hasGc) columns.push({ key: "gc", title: "GC", unit: symbol, align: "right" });
  columns.push(
    { key: "samples", title: "Samples", align: "right" },
    { key: "iterations", title: "Iterations", align: "right" },
  );
  if (hasStatus) columns.push({ key: "status", title: "Status", align: "left" });

  const rowOf = (trial: MitataTrial, run: MitataRun): Row => {
    const cells: Record<string, Cell> = { benchmark: runName(trial, run) };
    if (hasGroups) cells.group = groupName(result, trial);
    if (run.stats === undefined) {
      cells.status = failureText(run.error);
    } else {
      const { avg, min, p50, p75, p99, max, heap, gc, samples, ticks } = run.stats;
      const time = (value: number) => finiteOrNull(value / nanoseconds);
      cells.mean = time(avg);
      cells.min = time(min);
      cells.median = time(p50);
      cells.p75 = time(p75);
      cells.p99 = time(p99);
      cells.max = time(max);
      if (heap !== undefined) cells.heap = finiteOrNull(heap.avg);
      if (gc !== undefined) cells.gc = time(gc.avg);
      cells.samples = samples?.length ?? null;
      cells.iterations = ticks;
      if (hasStatus) cells.status = "completed";
    }
    return trial.baseline ? { cells, mark: BASELINE_MARK } : { cells };
  };

  const legend = [
    "Mean, Min, the percentiles and Max are of the samples that mitata took in one process, where a sample of a " +
      "fast benchmark is itself the mean of a batch of iterations. Of more than 12 samples mitata drops the two " +
      "fastest and the two slowest.",
    "mitata reports no margin of error, and the run was not replicated over processes: a small difference between " +
      "two rows may be noise.",
  ];
  if (hasHeap)
    legend.push("Heap is the mean growth of the heap, over the samples during which it did not shrink.");
  if (hasGc) legend.push("GC is the mean time of the collection that was forced after each sample.");
  if (result.benchmarks.some((trial) => trial.baseline)) legend.push(`${BASELINE_MARK} is the baseline.`);
  return {
    title: options.title ?? "mitata",
    provenance: [["Harness", "mitata"], ...machine(result), ...(options.provenance ?? [])],
    columns,
    rows: result.benchmarks.flatMap((trial) => trial.runs.map((run) => rowOf(trial, run))),
    legend,
  };
}

function machine({ context: { runtime, version, arch, cpu } }: MitataResult): LabelledValue[] {
  const known = [runtime, version, arch === null ? null : `(${arch})`].filter((part) => part != null);
  const lines: LabelledValue[] = [];
  if (known.length > 0) lines.push(["Runtime", known.join(" ")]);
  if (cpu.name !== null) lines.push(["CPU", cpu.name]);
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
  const list = Object.entries(args).map(([key, value]) => `${key}=${value}`);
  return `${name} (${list.join(", ")})`;
}
