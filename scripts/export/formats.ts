import { checkOneMethod } from "../../suites/engine/schema/record.ts";
import { parseName, UsageError } from "../../suites/lab/command/usage.ts";
import { BENCHER_HELP, bencher } from "./bencher.ts";
import { BENCHSTAT_HELP, benchstat } from "./benchstat.ts";
import type { Exported, Source } from "./figures.ts";
import { GITHUB_ACTION_BENCHMARK_HELP, githubActionBenchmark } from "./github-action-benchmark.ts";
import { OTAVA_HELP, otava } from "./otava.ts";

/** What records can be exported as, by the name of the engine that reads it. */
const FORMATS = {
  "github-action-benchmark": { convert: githubActionBenchmark, help: GITHUB_ACTION_BENCHMARK_HELP },
  bencher: { convert: bencher, help: BENCHER_HELP },
  benchstat: { convert: benchstat, help: BENCHSTAT_HELP },
  otava: { convert: otava, help: OTAVA_HELP },
} satisfies Readonly<Record<string, { convert: (sources: readonly Source[]) => Exported; help: string }>>;

export type Format = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
/** What each is, under its name. */
export const FORMATS_HELP = FORMAT_NAMES.map((name) => `${name}${FORMATS[name].help}`).join("\n    ");

/** Throws a UsageError that names the nearest if there is no such format. */
export function parseFormat(name: string | undefined): Format {
  if (name === undefined) throw new UsageError(`--format is missing: give one of ${FORMAT_NAMES.join(", ")}`);
  return parseName("--format", name, FORMAT_NAMES);
}

/**
 * Records as an engine reads them. Pure. Throws an Error with a one-line message if a record is not the whole of what
 * was to be measured, or nothing can be exported. It also throws if records are of several methods, or two have the
 * same cell where there is room for one.
 */
export function exportRecords(format: Format, sources: readonly Source[]): Exported {
  for (const { name, record } of sources) {
    if (record.size === "smoke")
      throw new Error(`${name} is of smoke size: its figures are of other work than those of a full run`);
    if (record.interrupted)
      throw new Error(`${name} was interrupted: finish it with npm run bench -- --resume ${name} first`);
  }
  checkOneMethod(sources, "export each method to a file of its own");
  const exported = FORMATS[format].convert(sources);
  if (exported.values === 0)
    throw new Error(`nothing to export: no record given has a number that format ${format} takes`);
  return exported;
}
