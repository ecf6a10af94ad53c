/**
 * A reporter for Vitest 3 to 5: `vitest bench --reporter=benchmark-reporter-markdown/vitest`. The types below are the part of
 * Vitest's that is read; its own are assignable to them.
 */
import { writeFileSync } from "node:fs";
import type { HarnessOptions } from "./harness-options.ts";
import { appendStepSummary } from "./step-summary.ts";
import { toMarkdown } from "./table.ts";
import { fromVitest, type VitestBenchmark, type VitestReport, type VitestTest } from "./vitest.ts";

export interface VitestReporterOptions extends HarnessOptions {
  /** Where the table goes instead of stdout. */
  readonly outputFile?: string | undefined;
}

/** A file, a suite or a test, as Vitest keeps them. */
export interface VitestTask {
  readonly name: string;
  /** What it stands in, unless that is the file. */
  readonly suite?: VitestTask | undefined;
  /** Of a file. */
  readonly filepath?: string | undefined;
  /** Of a file or suite. */
  readonly tasks?: readonly VitestTask[] | undefined;
  readonly result?:
    | {
        readonly errors?: readonly { readonly message?: string | undefined }[] | undefined;
        /** Vitest 3 and 4, of a benchmark. */
        readonly benchmark?: VitestBenchmark | undefined;
      }
    | undefined;
  readonly meta?: { readonly benchmark?: boolean | undefined } | undefined;
  /** Vitest 5, of a test that measured. */
  readonly benchmarks?: VitestTest["benchmarks"] | undefined;
}

/**
 * Prints the table of a run when it has ended, or writes it to `outputFile`. Appends it to the step's summary as well
 * where GitHub Actions runs it. A run without benchmarks has no table, and none is printed.
 */
export default class MarkdownReporter {
  readonly #options: VitestReporterOptions;

  /** @param options the options of `fromVitest`, and `outputFile`. */
  constructor(options: VitestReporterOptions = {}) {
    this.#options = options;
  }

  /** Called by Vitest. */
  onTestRunEnd(testModules: readonly { readonly task: VitestTask }[]): void {
    const report = reportOf(testModules.map(({ task }) => task));
    if (report === undefined) return;
    const { outputFile, ...options } = this.#options;
    const markdown = toMarkdown(fromVitest(report, options));
    if (outputFile === undefined) process.stdout.write(`\n${markdown}`);
    else writeFileSync(outputFile, markdown);
    if (process.env.GITHUB_STEP_SUMMARY) appendStepSummary(markdown);
  }
}

/** What Vitest's own reporters would write as JSON, without what JSON loses; undefined if nothing was measured. */
function reportOf(files: readonly VitestTask[]): VitestReport | undefined {
  const tests = files.map((file) => ({ file, leaves: leavesOf(file) }));
  if (tests.some(({ leaves }) => leaves.some(({ benchmarks = [] }) => benchmarks.length > 0))) {
    const testResults = tests.map(({ file, leaves }) => ({
      name: file.filepath ?? file.name,
      assertionResults: leaves.map((test) => ({
        fullName: [...ancestorsOf(test), test.name].join(" "),
        failureMessages: test.result?.errors?.map(({ message = "" }) => message),
        benchmarks: test.benchmarks ?? [],
      })),
    }));
    return { testResults };
  }
  const groups = new Map<string, VitestBenchmark[]>();
  for (const { file, leaves } of tests) {
    for (const test of leaves) {
      const benchmark = test.meta?.benchmark ? test.result?.benchmark : undefined;
      if (benchmark === undefined) continue;
      const fullName = [file.name, ...ancestorsOf(test)].join(" > ");
      groups.set(fullName, [...(groups.get(fullName) ?? []), benchmark]);
    }
  }
  if (groups.size === 0) return undefined;
  return { files: [{ groups: [...groups].map(([fullName, benchmarks]) => ({ fullName, benchmarks })) }] };
}

/** The tests below a file or suite. */
function leavesOf(task: VitestTask): readonly VitestTask[] {
  return task.tasks === undefined ? [task] : task.tasks.flatMap(leavesOf);
}

/** Names of the suites that a test stands in, the outermost first. */
function ancestorsOf({ suite }: VitestTask): readonly string[] {
  return suite === undefined ? [] : [...ancestorsOf(suite), suite.name];
}
