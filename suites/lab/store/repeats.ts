import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { repeatsPage } from "../pages/calibration/repeats.ts";
import { FOLDER_PAGE } from "../pages/scenarios.ts";
import { type FormerNames, recordToday } from "../schema/names.ts";
import type { BenchRecord } from "../schema/record.ts";
import { readRecord } from "../schema/record-file.ts";
import { type BetweenRuns, betweenRunsOf, type Repeat, repeatedRows } from "../verdicts/between-runs.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { RESULTS, recordsIn } from "./results.ts";

/** Whole runs that were repeated, and the file of how far they differ, which every command that judges a run reads. */
const REPEATS = join(RESULTS, "repeats");
const BETWEEN_RUNS = join(REPEATS, "between-runs.json");

export interface PublishedRepeat extends Repeat {
  readonly file: string;
  readonly record: BenchRecord;
}

/** The newest last. */
export function readWholeRuns(formerNames: FormerNames): PublishedRepeat[] {
  return recordsIn(REPEATS, readRecord).map(({ path, record: published }) => {
    const record = recordToday(published, formerNames);
    return { file: basename(path), record, ...repeatOf(record, judgeRecord(record).races) };
  });
}

/** A run of this record, as it was judged. */
export function repeatOf({ machine, methodVersion }: BenchRecord, races: Repeat["races"]): Repeat {
  return { host: machine.slug, method: methodVersion, races };
}

/** Undefined where there are none, as in copies of the code alone. */
export function betweenRunsIn(repeats: readonly PublishedRepeat[]): BetweenRuns | undefined {
  if (repeats.length === 0) return undefined;
  return {
    runs: repeats.map(({ file, host }) => ({ file, host })),
    ...betweenRunsOf(repeatedRows(repeats)),
  };
}

/** As it was generated last; undefined where there is no such file. */
export function readBetweenRuns(): BetweenRuns | undefined {
  try {
    return JSON.parse(readFileSync(BETWEEN_RUNS, "utf8")) as BetweenRuns;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file and its page, which holds what was learnt against other records. */
export function repeatsFiles(
  repeats: readonly PublishedRepeat[],
  others: readonly Repeat[],
): [path: string, text: string][] {
  const known = betweenRunsIn(repeats);
  if (known === undefined) return [];
  return [
    [BETWEEN_RUNS, `${JSON.stringify(known, null, 2)}\n`],
    [join(REPEATS, FOLDER_PAGE), repeatsPage(repeats, known, others)],
  ];
}
