import { rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { writeWhole } from "../../engine/measure/machine/write-whole.ts";
import { sayWritten, shownPath } from "../command/usage.ts";
import type { BenchRecord } from "../schema/record.ts";
import { recordText } from "../schema/record-file.ts";
import { type Verdicts, verdictText } from "../schema/verdict.ts";
import { localFolder, recordName } from "./results.ts";

/**
 * How a record reaches the disk. While its run is in progress it is written anew after each part, so that a whole one
 * is left however the process ends. At its end it goes where there is room, if not where it was to go.
 */
export class KeptRecord {
  readonly #say: (line: string) => void;
  /** Parts in the record that is on the disk. */
  #parts = 0;
  #isFailing = false;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Writes what there is of a run, as a number of parts. Where it cannot, that is said once, and what was written stays. */
  keep(path: string, record: object, parts: number): void {
    const text = recordText(record);
    try {
      writeWhole(path, text);
      this.#parts = parts;
      this.#isFailing = false;
    } catch (error) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      const kept =
        this.#parts === 0
          ? "nothing is kept"
          : `${shownPath(path)} keeps the first ${this.#parts} of ${parts} parts`;
      this.#say(
        `the record cannot be written${becauseOf(error, path, text)}: ${kept}; the run goes on and tries again after each part\n`,
      );
    }
  }
}

/** What became of the files of a run. */
export interface Saved {
  /** The record's is the first; none where it could not be written anywhere. */
  readonly paths: readonly string[];
  /** What is not where it was to go, and why: one line. */
  readonly trouble?: string;
}

/**
 * Writes a record, and beside it what is made from it, by file names. Where the record cannot be written to its place it
 * goes to another, alone.
 */
export function saveSomewhere(
  path: string,
  record: object,
  others: ReadonlyMap<string, string>,
  elsewhere: readonly string[] = [localFolder(undefined), tmpdir()],
): Saved {
  const text = recordText(record);
  const folder = dirname(path);
  let trouble: string | undefined;
  for (const place of new Set([folder, ...elsewhere])) {
    const there = join(place, basename(path));
    try {
      writeWhole(there, text);
    } catch (error) {
      trouble ??= `the record cannot be written to ${shownPath(folder)}${becauseOf(error, path, text)}`;
      continue;
    }
    if (trouble !== undefined) return { paths: [there], trouble: `${trouble}: it is ${shownPath(there)}` };
    return saveBesides(path, others);
  }
  return { paths: [], trouble: `${trouble}, nor anywhere else: make room and run it again` };
}

function saveBesides(path: string, others: ReadonlyMap<string, string>): Saved {
  const paths = [path];
  for (const [name, text] of others) {
    const file = join(dirname(path), name);
    try {
      writeWhole(file, text);
      paths.push(file);
    } catch (error) {
      const trouble = `only the record could be written${becauseOf(error, file, text)}: npm run report -- ${shownPath(path)} makes the rest`;
      return { paths, trouble };
    }
  }
  return { paths };
}

/** Writes a local run's record, its verdicts and, if there is one, its page. */
export function saveLocal(
  record: BenchRecord,
  verdicts: Verdicts,
  page: string | undefined,
  folder: string,
): Saved {
  const name = recordName(record, false);
  const others = new Map([[`${name}.verdicts.ndjson`, verdictText(verdicts)]]);
  if (page !== undefined) others.set(`${name}.md`, page);
  return saveSomewhere(localPath(record, folder), record, others);
}

/** Where a local run's record is kept and saved. */
export function localPath(record: BenchRecord, folder: string): string {
  return join(folder, `${recordName(record, false)}.json`);
}

/** Removes what was kept of a run whose record has been published. */
export function discardKept(record: BenchRecord, folder: string): void {
  rmSync(localPath(record, folder), { force: true });
}

/** Reports the files of a run, and what went wrong with them; returns whether nothing did. */
export function saySaved({ paths, trouble }: Saved): boolean {
  if (paths.length > 0) sayWritten(paths);
  if (trouble !== undefined) process.stderr.write(`${trouble}\n`);
  return trouble === undefined;
}

function becauseOf(error: unknown, path: string, text: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOSPC") return ` (${code})`;
  const [wanted, free] = [Buffer.byteLength(text), freeBytes(dirname(path))].map(
    (bytes) => `${(bytes / 1000).toFixed(1)} kB`,
  );
  return ` (${code}: it wants ${wanted}, ${free} are free)`;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
