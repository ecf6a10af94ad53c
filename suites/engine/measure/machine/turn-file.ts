import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Where a fork writes whose turn it is, before each. When its process has died it is then known which crew ran. A file
 * rather than a message, because writing a byte wakes no thread. It has no name, so that nothing is left, whichever
 * process dies.
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

/** Opened by the process that starts the fork. */
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

/** Linux makes a file that never has a name (open(2), O_TMPFILE); its number is the same on all architectures of Node. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/** A new file without a name, or where none can be written one that keeps nothing. */
function openNameless(): number {
  for (const open of OPENERS) {
    let fd: number | undefined;
    try {
      fd = open();
      writeSync(fd, Uint8Array.of(NOBODY), 0, 1, 0);
      return fd;
    } catch {
      // Not every file system has such files, and a disk may be full.
      if (fd !== undefined) closeSync(fd);
    }
  }
  return openSync("/dev/null", "r+");
}

function openUnnamed(): number {
  return openSync(tmpdir(), O_TMPFILE | constants.O_RDWR, 0o600);
}

function openUnlinked(): number {
  const path = join(tmpdir(), `.hotpath-turn-${process.pid}`);
  const fd = openSync(path, "wx+");
  unlinkSync(path);
  return fd;
}

const OPENERS = process.platform === "linux" ? [openUnnamed, openUnlinked] : [openUnlinked];

const turn = new Uint8Array(1);

/** Called in the fork: from now on it is this crew's turn. */
export function noteTurn(crew: number): void {
  turn[0] = crew;
  writeSync(FD, turn, 0, 1, 0);
}
