import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A pipe between two processes on which both may block: who reads sleeps until the other has written, without a turn of an
 * event loop. Messages are frames: their length in bytes, a uint32 in little-endian order, and as many bytes of JSON.
 *
 * Node's own pipes do not block on the side that made them. A FIFO does on both; made and opened here, it has lost its name
 * before the other process starts, so that nothing is left whoever dies. Its ends are handed on as open files.
 */
export interface Pipe {
  readonly readFd: number;
  readonly writeFd: number;
}

export function makePipe(): Pipe {
  const path = join(tmpdir(), `.hotpath-pipe-${process.pid}-${made++}`);
  execFileSync("mkfifo", ["-m", "600", path]);
  try {
    // Opening one end waits for the other, unless there is one with both.
    const both = openSync(path, constants.O_RDWR);
    const readFd = openSync(path, constants.O_RDONLY);
    const writeFd = openSync(path, constants.O_WRONLY);
    closeSync(both);
    return { readFd, writeFd };
  } finally {
    unlinkSync(path);
  }
}

let made = 0;

/** Throws where nobody reads any more. */
export function writeFrame(fd: number, message: unknown): void {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(LENGTH_BYTES + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, LENGTH_BYTES);
  for (let written = 0; written < frame.length; ) {
    written += writeSync(fd, frame, written, frame.length - written, null);
  }
}

/** The next message; undefined where nobody writes any more. Blocks the thread until it is whole. */
export function readFrame(fd: number): unknown {
  const length = readWhole(fd, LENGTH_BYTES)?.readUInt32LE();
  const body = length === undefined ? undefined : readWhole(fd, length);
  return body === undefined ? undefined : JSON.parse(body.toString());
}

const LENGTH_BYTES = 4;

/** So many bytes; undefined if they end before. */
function readWhole(fd: number, bytes: number): Buffer | undefined {
  const whole = Buffer.alloc(bytes);
  for (let read = 0; read < bytes; ) {
    const more = readSync(fd, whole, read, bytes - read, null);
    if (more === 0) return undefined;
    read += more;
  }
  return whole;
}
