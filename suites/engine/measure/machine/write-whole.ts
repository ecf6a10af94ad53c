import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file that could not be written, in one line. */
export class WriteError extends Error {
  readonly code: string | undefined;

  constructor(path: string, { code }: NodeJS.ErrnoException) {
    super(`${path} cannot be written (${code}): make room there, or choose another place`);
    this.code = code;
  }
}

/**
 * Writes a file whole or not at all: under a temporary name in the same folder, then renamed into place. A process that
 * dies in between leaves at most a dot file, never half a record. What is no file (a pipe, /dev/stdout) is written to. Throws
 * a WriteError.
 */
export function writeWhole(path: string, content: string | Uint8Array): void {
  let temporary: string | undefined;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      writeFileSync(path, content);
      return;
    }
    const target = there === undefined ? path : realpathSync(path);
    mkdirSync(dirname(target), { recursive: true });
    temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    writeFileSync(temporary, content);
    renameSync(temporary, target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw new WriteError(path, error as NodeJS.ErrnoException);
  }
}
