import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ENDINGS, INTERRUPTED } from "./interruption.ts";

/**
 * Temporary folders. Each is named after the process that made it, and goes when its work ends in whatever way a process
 * can notice. What a killed one left behind goes when the next one begins.
 */
const NAME = /^hotpath-lab-[a-z]+-(\d+)-(\d+)-/;

interface Options {
  /** Where it is made; in the system's own folder if absent. */
  readonly place?: string | undefined;
  /** What has to be done before it is removed. */
  readonly release?: () => void;
}

/**
 * Does some work with a new temporary folder. The folder is removed when the work has ended, well or not, when the
 * process exits within, and on Ctrl-C, SIGTERM and SIGHUP. These signals end the process, unless other code listens too
 * and so ends the work in order. Its name begins with the command, in lower case.
 */
export async function withScratch<T>(
  command: string,
  work: (folder: string) => Promise<T>,
  { place = tmpdir(), release }: Options = {},
): Promise<T> {
  assertWritable(place);
  removeAbandoned(place);
  const owner = `${process.pid}-${startOf(process.pid)}`;
  const folder = mkdtempSync(join(realpathSync(place), `hotpath-lab-${command}-${owner}-`));
  const remove = () => {
    release?.();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  for (const signal of ENDINGS) process.on(signal, endUnlessHeard);
  try {
    return await work(folder);
  } finally {
    // Ctrl-C reaches processes that were started here as well. A command that takes their failure for an error would end before it
    // has heard of Ctrl-C itself.
    await setImmediate();
    for (const signal of ENDINGS) process.off(signal, endUnlessHeard);
    process.off("exit", remove);
    remove();
  }
}

/** Throws an Error with one line where nothing can be made in a folder. */
export function assertWritable(place = tmpdir()): void {
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `no temporary folder can be made in ${place} (${code}): set TMPDIR to a folder that can be written`,
    );
  }
}

/** With several folders it is there several times. */
function endUnlessHeard(signal: NodeJS.Signals): void {
  if (process.listeners(signal).every((listener) => listener === endUnlessHeard)) {
    process.exit(INTERRUPTED);
  }
}

/** Whether this is the name of a temporary folder whose process is no more. */
export function isAbandoned(name: string): boolean {
  const [, pid, start] = NAME.exec(name) ?? [];
  return pid !== undefined && startOf(Number(pid)) !== start;
}

function removeAbandoned(place: string): void {
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (isAbandoned(name) && isOurs(path)) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether a file or folder is there and this user's; temporary ones of all users may be in one place. */
export function isOurs(path: string): boolean {
  // Another process that begins now may have removed it first.
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (process.getuid === undefined || found.uid === process.getuid());
}

/** Only Linux reports when a process started, which distinguishes it from a later one with the same number. */
const TELLS_START = existsSync("/proc/self/stat");

/** When a process started, in the system's own count, 0 if that is unknown; undefined if there is none. */
export function startOf(pid: number): string | undefined {
  return TELLS_START ? startOnLinux(pid) : isAlive(pid) ? "0" : undefined;
}

function startOnLinux(pid: number): string | undefined {
  try {
    // Behind the program's name, in which there may be anything, come its state and 18 others before its start.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ");
    // A zombie has ended, and waits for a parent that may never ask for it.
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
