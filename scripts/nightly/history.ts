import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { judgeScenario } from "../../suites/engine/judge/judge.ts";
import { WriteError } from "../../suites/engine/measure/machine/write-whole.ts";
import type { BenchRecord } from "../../suites/engine/schema/record.ts";
import type { JudgedRow } from "../../suites/engine/schema/verdict.ts";
import { type HistoryLine, identityOf, LINE_VERSION, readHistory } from "../../suites/lab/schema/history.ts";
import type { FormerNames } from "../../suites/lab/schema/names.ts";

/** What is appended to the history of nightly runs, and how. */

/**
 * Makes sure that lines can be appended. Throws an Error with one line where they cannot: that is better known before an
 * hour of measuring than after it.
 */
export function checkAppendable(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const isThere = existsSync(path);
    closeSync(openSync(path, "a"));
    if (!isThere) rmSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `history ${path} cannot be appended to (${code}): make it writable, or choose another with --history FILE`,
    );
  }
}

/**
 * Appends the lines that are not in the history yet and returns them. All go out in one write behind the end of the file
 * and are on the disk when this returns. Not whole or not at all, as other results are written: that would rewrite
 * all earlier nights for the sake of one. A crash leaves some whole lines and at most one that is cut off. The next
 * append begins on a new line, and appending the night again adds what is missing. Throws a
 * WriteError on a full disk, with the file as it was.
 */
export function appendLines(
  path: string,
  lines: readonly HistoryLine[],
  formerNames: FormerNames = new Map(),
): HistoryLine[] {
  const known = new Set(readHistory(path, formerNames).lines.map(identityOf));
  const added = lines.filter((line) => !known.has(identityOf(line)));
  if (added.length === 0) return [];
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "a+");
  const { size } = fstatSync(file);
  try {
    const text = added.map((line) => `${JSON.stringify(line)}\n`).join("");
    const bytes = Buffer.from(endsItsLine(file) ? text : `\n${text}`);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } catch (error) {
    if (size === 0) rmSync(path);
    else ftruncateSync(file, size);
    throw new WriteError(`history ${path}`, error as NodeJS.ErrnoException);
  } finally {
    closeSync(file);
  }
  return added;
}

function endsItsLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() === "\n";
}

/**
 * What a record has to say to the history. Each group is judged by itself and not with the other groups of its
 * scenario, as on pages. The width of an interval depends on how many rows are judged together. A night's verdict on a
 * cell must not depend on what else was raced in it. Throws an Error with one line for a record of no commit.
 */
export function linesOf(record: BenchRecord): HistoryLine[] {
  const { commit } = record;
  if (commit === null || commit.dirty) {
    throw new Error(
      "the record was made with uncommitted changes, and the lines of a history belong to commits: measure a commit",
    );
  }
  if (record.size !== "full") throw new Error("the record is of smoke size: its numbers mean nothing");
  const common = {
    version: LINE_VERSION,
    at: record.startedAt,
    commit: commit.hash,
    runtime: `${record.runtime.name} ${record.runtime.version}`,
    method: record.methodVersion,
    profile: record.profile,
  } as const;
  const lines = record.groups.flatMap((group) => {
    const { rows, conditions } = judgeScenario([group]);
    const { floors, workers, oversubscribed, baseline = "none" } = conditions[0]!;
    const ofGroup = {
      ...common,
      machine: group.machine ?? record.machine.slug,
      workers,
      oversubscribed,
      // Of several roles the noisiest floor, which holds for all.
      floor: floors.length === 0 ? null : digits(Math.max(...floors)),
      baseline,
    };
    // A/A controls are noise and have no history.
    return rows
      .filter(({ kind }) => kind !== "aa-control")
      .map((row): HistoryLine => {
        const runtime = group.runtimes?.find(({ name }) => name === row.runtime)?.version ?? ofGroup.runtime;
        return { ...ofGroup, runtime, cell: row.cell, ...figuresOf(row) };
      });
  });
  // Where rivals are too many for one group the baseline races in each: its first line is as good as the others.
  return [...new Map(lines.toReversed().map((line) => [line.cell, line])).values()].toReversed();
}

function figuresOf(row: JudgedRow) {
  if (row.noNumber !== undefined) {
    return {
      medianNs: null,
      ratio: null,
      low: null,
      high: null,
      forks: row.forks,
      verdict: "no number",
      reason: row.noNumber,
    };
  }
  const { ratio } = row;
  return {
    state: row.state,
    medianNs: digits(row.median),
    ratio: ratio === undefined ? null : digits(ratio.value),
    low: ratio === undefined ? null : digits(ratio.low),
    high: ratio === undefined ? null : digits(ratio.high),
    forks: row.forks,
    verdict: row.verdict,
  };
}

/** Six are beyond every floor, and a line is half as long. What is no finite number above 0 is as good as none. */
function digits(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Number(value.toPrecision(6)) : null;
}
