import fs from "node:fs";
import { join } from "node:path";

/**
 * Where V8 writes which functions a process has compiled (see compiled-code.ts). The fork takes the file's name away
 * at once, so that nothing is left and no competitor finds it.
 */
const FOLDER = "--perf-basic-prof-path=";

/** V8 of Node 24: older ones do not know all of the flags. */
const V8_WITH_FLAGS = 13;

function knowsFlags(): boolean {
  const { v8, bun, deno } = process.versions;
  return bun === undefined && deno === undefined && Number.parseInt(v8, 10) >= V8_WITH_FLAGS;
}

/** Taken before any competitor is loaded, as in gate.ts. */
const { readSync, fstatSync } = fs;

/**
 * V8's flags for a process that is to write the file in this folder; none where it cannot: V8 ends a process whose file
 * it cannot open. V8's copies of compiled modules hold for one set of flags, so the folder is to be the same each time.
 */
export function codeFileFlags(folder: string | undefined): string[] {
  if (folder === undefined || process.platform !== "linux" || !knowsFlags()) return [];
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    return [];
  }
  // With the first flag alone each thread also leaves a log in its working folder.
  return [
    "--perf-basic-prof-only-functions",
    `${FOLDER}${folder}`,
    "--no-log",
    "--no-logfile-per-isolate",
    "--logfile=+",
  ];
}

/** Removes what a process left that ended before it came to that. */
export function removeCodeFile(folder: string | undefined, pid: number | undefined): void {
  if (folder !== undefined) fs.rmSync(nameIn(folder, pid), { force: true });
}

/** What this process has compiled. */
export interface CodeFile {
  /** How long the text is now. */
  length(): number;
  /** The text from there on. */
  since(start: number): string;
}

/** Of this process, if it was started with `codeFileFlags`. Node processes that it starts are not to have these flags. */
export function openCodeFile(): CodeFile | undefined {
  const flag = process.execArgv.find((one) => one.startsWith(FOLDER));
  if (flag === undefined) return undefined;
  const folder = flag.slice(FOLDER.length);
  const own = codeFileFlags(folder);
  // A profile by Linux perf has a file of the same name, which has to stay.
  if (own.length === 0 || !own.every((one) => process.execArgv.includes(one))) return undefined;
  process.execArgv = process.execArgv.filter((one) => !own.includes(one));
  const path = nameIn(folder, process.pid);
  try {
    const fd = fs.openSync(path, "r");
    fs.unlinkSync(path);
    return {
      length: () => fstatSync(fd).size,
      since(start) {
        const bytes = Buffer.alloc(fstatSync(fd).size - start);
        const read = readSync(fd, bytes, 0, bytes.length, start);
        return bytes.toString("utf8", 0, read);
      },
    };
  } catch {
    return undefined;
  }
}

/** As V8 names it. */
function nameIn(folder: string, pid: number | undefined): string {
  return join(folder, `perf-${pid}.map`);
}
