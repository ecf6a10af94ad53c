import { checkOneMethod } from "../../suites/engine/schema/record.ts";
import { parseName, UsageError } from "../../suites/engine/schema/usage.ts";
import { bencher } from "./bencher.ts";
import { benchstat } from "./benchstat.ts";
import type { Exported, Source } from "./figures.ts";
import { githubActionBenchmark } from "./github-action-benchmark.ts";
import { otava } from "./otava.ts";

/** What records can be exported as, by the name of the engine that reads it. */
const FORMATS = {
  "github-action-benchmark": githubActionBenchmark,
  bencher,
  benchstat,
  otava,
} as const;

export type Format = keyof typeof FORMATS;

/** Throws a UsageError that names the nearest if there is no such format. */
export function parseFormat(name: string | undefined): Format {
  const formats = Object.keys(FORMATS) as Format[];
  if (name === undefined) throw new UsageError(`--format is missing: give one of ${formats.join(", ")}`);
  return parseName("--format", name, formats);
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
  const exported = FORMATS[format](sources);
  if (exported.values === 0)
    throw new Error(`nothing to export: no record given has a number that format ${format} takes`);
  return exported;
}
