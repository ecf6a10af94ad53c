import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Where a fork writes whose turn it is, before each: so that when its process has died it is known who ran. A file
 * rather than a message, because writing a byte wakes nobody; without a name, so that nothing is left whoever dies.
 */
export interface TurnFile {
  readonly fd: number;
  /** Index of the crew whose turn was the last; undefined before the first. */
  last(): number | undefined;
  close(): void;
}

/** The file as the fork inherits it: after stdin, stdout, stderr and the channel. */
const FD = 4;
const NOBODY = 255;

/** Opened by who starts the fork. */
export function openTurnFile(): TurnFile {
  const fd = openNameless();
  return {
    fd,
    last() {
      const byte = Uint8Array.of(NOBODY);
      readSync(fd, byte, 0, 1, 0);
      return byte[0] === NOBODY ? undefined : byte[0];
    },
    close: () => closeSync(fd),
  };
}

/** A new file that has no name any more, or where none can be written one that keeps nothing. */
function openNameless(): number {
  try {
    const path = join(tmpdir(), `.hotpath-turn-${process.pid}`);
    const fd = openSync(path, "wx+");
    unlinkSync(path);
    writeSync(fd, Uint8Array.of(NOBODY), 0, 1, 0);
    return fd;
  } catch {
    return openSync("/dev/null", "r+");
  }
}

const turn = new Uint8Array(1);

/** Called in the fork: from now on it is this crew's turn. */
export function noteTurn(crew: number): void {
  turn[0] = crew;
  writeSync(FD, turn, 0, 1, 0);
}
