import { rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchRecord, partsOf, recordText } from "../schema/record.ts";
import { sayWritten, shownPath } from "../schema/usage.ts";
import { type Verdicts, verdictText } from "../schema/verdict.ts";
import { localFolder, recordName, writeWhole } from "./results.ts";

/**
 * How a record comes to the disk: while its run is under way it is written anew after each part, so that whatever ends
 * the process leaves a whole one; and at its end it goes where there is room, if not where it was to go.
 */
export class KeptRecord {
  readonly #folder: string;
  readonly #say: (line: string) => void;
  /** Parts in the record that is on the disk. */
  #parts = 0;
  #isFailing = false;

  constructor(folder: string, say: (line: string) => void) {
    this.#folder = folder;
    this.#say = say;
  }

  /** Writes what there is of a run. Where it cannot, that is said once, and the last one that was written stays. */
  keep(record: BenchRecord): void {
    const path = localPath(record, this.#folder);
    const text = recordText(record);
    const parts = partsOf(record).length;
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
        `the record cannot be written${becauseOf(error, this.#folder, text)}: ${kept}; the run goes on and tries again after each part\n`,
      );
    }
  }
}

/** Removes what was kept of a run whose record has been published. */
export function discardKept(record: BenchRecord, folder: string): void {
  rmSync(localPath(record, folder), { force: true });
}

/** What became of the files of a run. */
export interface Saved {
  /** The record's is the first; none where it could not be written anywhere. */
  readonly paths: readonly string[];
  /** What is not where it was to go, and why: one line. */
  readonly trouble?: string;
}

/**
 * Writes a local run's record, its verdicts and, if there is one, its page into `folder`; the record at least into
 * another, where that cannot be written.
 */
export function saveLocal(
  record: BenchRecord,
  verdicts: Verdicts,
  page: string | undefined,
  folder: string,
  elsewhere: readonly string[] = [localFolder(undefined), tmpdir()],
): Saved {
  const text = recordText(record);
  let trouble: string | undefined;
  for (const place of new Set([folder, ...elsewhere])) {
    const path = localPath(record, place);
    try {
      writeWhole(path, text);
    } catch (error) {
      trouble ??= `the record cannot be written to ${shownPath(folder)}${becauseOf(error, folder, text)}`;
      continue;
    }
    if (trouble !== undefined) return { paths: [path], trouble: `${trouble}: it is in ${shownPath(path)}` };
    const stem = path.slice(0, -".json".length);
    const others = new Map([[`${stem}.verdicts.ndjson`, verdictText(verdicts)]]);
    if (page !== undefined) others.set(`${stem}.md`, page);
    return besides(path, others, folder);
  }
  return {
    paths: [],
    trouble: `${trouble}, nor anywhere else: free some and give --resume, or run it again with --json`,
  };
}

/** What is made from a record, which is worth less than that. */
function besides(path: string, files: ReadonlyMap<string, string>, folder: string): Saved {
  const paths = [path];
  for (const [file, text] of files) {
    try {
      writeWhole(file, text);
      paths.push(file);
    } catch (error) {
      const trouble = `only the record could be written${becauseOf(error, folder, text)}: npm run report -- ${shownPath(path)} makes the rest`;
      return { paths, trouble };
    }
  }
  return { paths };
}

/** Tells of the files of a run, and of what went wrong with them; returns whether nothing did. */
export function saySaved({ paths, trouble }: Saved): boolean {
  if (paths.length > 0) sayWritten(paths);
  if (trouble !== undefined) process.stderr.write(`${trouble}\n`);
  return trouble === undefined;
}

function localPath(record: BenchRecord, folder: string): string {
  return join(folder, `${recordName(record, false)}.json`);
}

function becauseOf(error: unknown, folder: string, text: string): string {
  const { code } = error as NodeJS.ErrnoException;
  return ` (${code}${code === "ENOSPC" ? `, it wants ${kilobytes(Buffer.byteLength(text))}, ${kilobytes(freeBytes(folder))} are free` : ""})`;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`;
}
