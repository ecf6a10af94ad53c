import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * A pipe between two processes on which both may block: the reader sleeps until the other has written, without a turn of an
 * event loop. Messages are frames: their length in bytes, a uint32 in little-endian order, and as many bytes of JSON.
 *
 * Node's own pipes do not block on the side that made them. A FIFO does on both. Its ends are handed on as open files, so
 * that its folder may go before the other process starts.
 */
export interface Pipe {
  readonly readFd: number;
  readonly writeFd: number;
}

export function makePipes(folder: string, count: number): Pipe[] {
  const paths = Array.from({ length: count }, (_, index) => join(folder, `pipe-${index}`));
  execFileSync("mkfifo", ["-m", "600", ...paths]);
  return paths.map((path) => {
    const both = openSync(path, "r+");
    return besideBoth(both, () => ({ readFd: openSync(path, "r"), writeFd: openSync(path, "w") }));
  });
}

/** Node's flags for a process that is confined and was started with pipes as its files 3 and 4. */
export const MAY_USE_PIPES = ["--allow-fs-write=/dev/fd/3", "--allow-fs-write=/dev/fd/4"] as const;

/**
 * The end of a pipe that this process was started with as its file `fd`. Opened by path, because Deno numbers files in its
 * own way.
 */
export function inheritedEnd(fd: number, end: "r" | "w"): number {
  const path = `/dev/fd/${fd}`;
  const open = () => openSync(path, end);
  // Elsewhere that is the file itself, and does not wait.
  return process.platform === "linux" ? besideBoth(openSync(path, "r+"), open) : open();
}

/** Opening one end waits for the other, whose process may be gone; but not while one file is both. */
function besideBoth<T>(both: number, open: () => T): T {
  try {
    return open();
  } finally {
    closeSync(both);
  }
}

/** Throws where no reader is left. */
export function writeFrame(fd: number, message: unknown): void {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(LENGTH_BYTES + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, LENGTH_BYTES);
  for (let written = 0; written < frame.length; ) {
    written += writeSync(fd, frame, written, frame.length - written, null);
  }
}

/** The next message; undefined where no writer is left. Blocks the thread until it is whole. */
export function readFrame(fd: number): unknown {
  const length = readWhole(fd, LENGTH_BYTES)?.readUInt32LE();
  const body = length === undefined ? undefined : readWhole(fd, length);
  return body === undefined ? undefined : JSON.parse(body.toString());
}

const LENGTH_BYTES = 4;

/** That number of bytes; undefined if the pipe ends before. */
function readWhole(fd: number, bytes: number): Buffer | undefined {
  const whole = Buffer.alloc(bytes);
  for (let read = 0; read < bytes; ) {
    const more = readSync(fd, whole, read, bytes - read, null);
    if (more === 0) return undefined;
    read += more;
  }
  return whole;
}
