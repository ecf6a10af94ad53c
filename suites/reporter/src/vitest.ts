/**
 * What `vitest bench` writes as JSON, as a table: with `--outputJson` up to Vitest 4, with `--reporter=json` from Vitest 5
 * on. The types below are the part of it that is read; Vitest itself need not be installed.
 */
import { type Benchmark, failureText, type HarnessRun } from "./harness.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { harnessTable } from "./harness-table.ts";
import { refuseMisshapen, refuseResult, type Shape } from "./shape.ts";
import type { Table } from "./table.ts";
import { type TinybenchLatency, tinybenchTiming } from "./tinybench.ts";

export type VitestReport = VitestBenchReport | VitestTestReport;

/** Of `vitest bench --outputJson`, Vitest 1 to 4. */
export interface VitestBenchReport {
  readonly files: readonly {
    readonly groups: readonly {
      readonly fullName: string;
      readonly benchmarks: readonly VitestBenchmark[];
    }[];
  }[];
}

/** Times in milliseconds; one that threw has none. */
export interface VitestBenchmark extends Partial<Omit<TinybenchLatency, "p50" | "samplesCount">> {
  readonly name: string;
  readonly median?: number | null | undefined;
  readonly sampleCount?: number | undefined;
  readonly error?: unknown;
}

/** Of `vitest bench --reporter=json`, Vitest 5. */
export interface VitestTestReport {
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly assertionResults: readonly VitestTest[];
  }[];
}

export interface VitestTest {
  readonly fullName: string;
  readonly failureMessages?: readonly string[] | null | undefined;
  readonly benchmarks?: readonly {
    /** Of the test, behind the names of what it stands in. */
    readonly name: string;
    readonly tasks: readonly {
      readonly name: string;
      /** Of one that did not run there is none. */
      readonly latency?: TinybenchLatency | null | undefined;
      /** Whether an earlier run measured it. */
      readonly fromStore?: boolean | undefined;
    }[];
  }[];
}

/**
 * A row per benchmark, in the order of the report. Where all of them stand in one group, its name is the title and not a
 * column.
 *
 * @param report the parsed JSON.
 * @throws {TypeError} with one line, for a value that is neither report, and for one without benchmarks.
 * @throws {RangeError} with one line, for options that do not fit it.
 */
export function fromVitest(report: VitestReport, options: HarnessOptions = {}): Table {
  const run = vitestRun(report);
  const { benchmarks } = run;
  const [first, ...others] = new Set(benchmarks.map(({ group }) => group));
  if (others.length > 0) return harnessTable(run, options);
  const alone = benchmarks.map((benchmark) => ({ ...benchmark, group: null }));
  return harnessTable({ ...run, title: first ?? undefined, benchmarks: alone }, options);
}

/** Throws as `fromVitest` does for a value that is no report. */
export function vitestRun(report: VitestReport): HarnessRun {
  return {
    harness: "vitest bench",
    provenance: [],
    benchmarks: benchmarksOf(report),
    sampling: "Vitest timed each call by itself, all of a group in one process.",
  };
}

const TASK = { name: "text", "latency?": { "samples?": ["anything"] } } as const;
const TEST = {
  fullName: "text",
  "failureMessages?": ["text"],
  "benchmarks?": [{ name: "text", tasks: [TASK] }],
} as const;
const OF_BENCH = { files: [{ groups: [{ fullName: "text", benchmarks: [{ name: "text" }] }] }] } as const;
const OF_TESTS = { testResults: [{ name: "text", assertionResults: [TEST] }] } as const;

function benchmarksOf(report: VitestReport | null | undefined): readonly Benchmark[] {
  const expected =
    "the JSON of `vitest bench --outputJson` (Vitest 1 to 4) or `vitest bench --reporter=json` (Vitest 5)";
  const refuseUnless = (shape: Shape) => refuseMisshapen("fromVitest", expected, report, shape);
  refuseUnless({});
  let benchmarks: readonly Benchmark[];
  if ("files" in report!) {
    refuseUnless(OF_BENCH);
    benchmarks = ofBenchReport(report);
  } else if ("testResults" in report!) {
    refuseUnless(OF_TESTS);
    benchmarks = ofTestReport(report);
  } else refuseResult("fromVitest", expected, report);
  if (benchmarks.length === 0)
    throw new TypeError(`fromVitest: no benchmarks in this report: expected ${expected}`);
  return benchmarks;
}

function ofBenchReport({ files }: VitestBenchReport): readonly Benchmark[] {
  return files.flatMap(({ groups }) =>
    groups.flatMap(({ fullName, benchmarks }) =>
      benchmarks.map((benchmark) => ({ ...benchmarkOf(benchmark), group: fullName })),
    ),
  );
}

function benchmarkOf({ name, error, median, sampleCount, ...latency }: VitestBenchmark): Benchmark {
  if (error !== undefined || !hasMean(latency)) return { name, status: failureText(error ?? "") };
  const timing = tinybenchTiming({ ...latency, p50: median, samplesCount: sampleCount });
  return { name, timing, status: "completed" };
}

function hasMean<Latency extends { readonly mean?: number | null | undefined }>(
  latency: Latency,
): latency is Latency & TinybenchLatency {
  return latency.mean !== undefined;
}

function ofTestReport({ testResults }: VitestTestReport): readonly Benchmark[] {
  const files = withoutSharedFolder(testResults.map(({ name }) => name));
  return testResults.flatMap(({ assertionResults }, index) =>
    assertionResults.flatMap((test) => ofTest(test, files[index]!)),
  );
}

/** What a test measured, and that it failed if it did: what threw has no result. */
function ofTest({ fullName, failureMessages, benchmarks }: VitestTest, file: string): readonly Benchmark[] {
  const measured = (benchmarks ?? []).flatMap(({ name: group, tasks }) =>
    tasks.map(
      ({ name, latency, fromStore }): Benchmark => ({
        name,
        group: `${file} > ${group}`,
        timing: latency ? tinybenchTiming(latency) : undefined,
        status: fromStore ? "from an earlier run" : "completed",
      }),
    ),
  );
  const [failure] = failureMessages ?? [];
  if (failure === undefined) return measured;
  return [...measured, { name: fullName, group: file, status: failureText(failure.replace(/^Error: /, "")) }];
}

/** Paths as they are seen from the innermost folder that has them all. */
function withoutSharedFolder(paths: readonly string[]): readonly string[] {
  const parts = paths.map((path) => path.split("/"));
  const [first] = parts;
  if (first === undefined) return [];
  const folders = Math.min(...parts.map(({ length }) => length - 1));
  let shared = 0;
  while (shared < folders && parts.every((path) => path[shared] === first[shared])) shared += 1;
  return parts.map((path) => path.slice(shared).join("/"));
}
