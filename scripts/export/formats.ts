import { parseName, UsageError } from "../../suites/lab/command/usage.ts";
import { checkOneMethod } from "../../suites/lab/schema/record-file.ts";
import { benchstat } from "./benchstat.ts";
import { differencesOf, type Figures, figuresOf, runOf, type Source, type Written } from "./figures.ts";
import { githubActionBenchmark } from "./github-action-benchmark.ts";

/** What records can be exported as, by the name of the engine that reads it. */
const FORMATS = { "github-action-benchmark": githubActionBenchmark, benchstat };

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
/** What each is, under its name. */
export const FORMATS_HELP = FORMAT_NAMES.map((name) => `${name}${FORMATS[name].help}`).join("\n    ");

/** Throws a UsageError that names the nearest if there is no such format. */
export function parseFormat(name: string | undefined): FormatName {
  if (name === undefined) throw new UsageError(`--format is missing: give one of ${FORMAT_NAMES.join(", ")}`);
  return parseName("--format", name, FORMAT_NAMES);
}

/**
 * Records as an engine reads them. Pure. Throws an Error with a one-line message if a record is not the whole of what
 * was to be measured, or nothing can be exported. It also throws if records are of several methods, or two have the
 * same cell where there is room for one.
 */
export function exportRecords(
  name: FormatName,
  sources: readonly Source[],
): Written & Pick<Figures, "leftOut"> & { readonly remarks: readonly string[] } {
  const format = FORMATS[name];
  for (const { name, record } of sources) {
    if (record.size === "smoke")
      throw new Error(`${name} is of smoke size: its figures are of other work than those of a full run`);
    if (record.interrupted)
      throw new Error(`${name} was interrupted: finish it with npm run bench -- --resume ${name} first`);
  }
  checkOneMethod(sources, "export each method to a file of its own");
  const figures = figuresOf(sources, format.metrics);
  refuseCollisions(figures, format.holdsRuns);
  const { text, values } = format.write(figures, sources);
  if (values === 0)
    throw new Error(`nothing to export: no record given has a number that format ${name} takes`);
  const differences = differencesOf(sources, format.differences);
  const remarks = differences === "" ? [] : [format.consequence(differences)];
  return { text, values, leftOut: figures.leftOut, remarks };
}

/** Throws an Error if two records have the same cell where there is room for one: in a run, or in all. */
function refuseCollisions({ races, metrics }: Figures, holdsRuns: boolean): void {
  const remedy = holdsRuns
    ? "a run counts once, so give each record once"
    : "this format has one value for each cell, so export one of the two";
  const taken = new Map<string, Source>();
  for (const { source, cell } of [...races, ...metrics]) {
    const key = JSON.stringify([holdsRuns ? runOf(source) : "", cell]);
    const first = taken.get(key) ?? source;
    if (first !== source) throw new Error(`${first.name} and ${source.name} both have ${cell}: ${remedy}`);
    taken.set(key, source);
  }
}
