import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAbandoned, isOurs } from "../../suites/engine/measure/machine/scratch.ts";
import type { Window } from "../../suites/engine/measure/plan/protocol.ts";
import { type CodeFrame, readableFile, type Sample, samplesIn, type TimedCalls } from "./samples.ts";

/** It counts the start of a process that does nothing; one that takes this long, in ms, hangs. */
const TRIAL_LIMIT_MS = 10_000;

/** Why Linux perf cannot sample here, in a few words; undefined where it can. Tries it for a moment. */
export function perfUnavailable(): string | undefined {
  if (process.platform !== "linux") return `perf is part of Linux, and this is ${process.platform}`;
  try {
    const args = ["stat", "--event", "cpu-clock", "--", process.execPath, "--version"];
    execFileSync("perf", args, {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
      timeout: TRIAL_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    return undefined;
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT") return "perf is not installed (Debian's package linux-perf)";
    if (code === "ETIMEDOUT") return `perf did not answer within ${TRIAL_LIMIT_MS / 1000} s`;
    return `perf cannot sample: ${firstLine(stderr ?? "")}; see kernel.perf_event_paranoid`;
  }
}

function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "") ?? "it does not say why"
  );
}

/** perf looks up what V8 compiled in maps in the system's own folder, and nowhere else. */
const MAP_FOLDER = "/tmp";

/**
 * What perf wrote down in `perf.data` of a folder, where V8's maps lie too, as text: `parsePerf` reads it. Throws an
 * Error with one line if perf cannot say.
 */
export function perfScript(folder: string): string {
  removeAbandonedMaps();
  const maps = readdirSync(folder).filter(isMap);
  try {
    for (const map of maps) linkMap(folder, map);
    return textOf(join(folder, "perf.data"));
  } finally {
    for (const map of maps) rmSync(join(MAP_FOLDER, map), { force: true });
  }
}

function isMap(name: string): boolean {
  return /^perf-\d+\.map$/.test(name);
}

function linkMap(folder: string, map: string): void {
  const link = join(MAP_FOLDER, map);
  // Another process of this number may have left one.
  rmSync(link, { force: true });
  symlinkSync(join(folder, map), link);
}

/** A map is a link, which shows whose it is: one into a temporary folder of a process that is no more. */
function removeAbandonedMaps(): void {
  for (const map of readdirSync(MAP_FOLDER).filter(isMap)) {
    const link = join(MAP_FOLDER, map);
    if (isAbandoned(basename(dirname(targetOf(link)))) && isOurs(link)) rmSync(link, { force: true });
  }
}

/** Where a link leads; nowhere for another file, or one that is gone by now. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

function textOf(file: string): string {
  const args = ["script", "--input", file, "--fields", "tid,time,ip,sym,dso", "--ns", "--no-inline"];
  try {
    return execFileSync("perf", args, {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw new Error(
      `perf could not read what it had written: ${firstLine((error as { stderr: string }).stderr)}`,
    );
  }
}

/** The samples of each thread, by its number, that were taken within the windows. */
export function parsePerf(text: string, windows: readonly Window[]): ReadonlyMap<number, Sample[]> {
  const threads = new Map<number, TimedCalls[]>();
  for (const block of text.split(/\n\s*\n/)) {
    const [head, ...frames] = block.trim().split("\n");
    const [, tid, seconds, nanoseconds] = /^(\d+)\s+(\d+)\.(\d{9}):/.exec(head ?? "") ?? [];
    if (tid === undefined) continue;
    const thread = Number(tid);
    const timeNs = Number(seconds) * 1e9 + Number(nanoseconds);
    const timed = threads.get(thread) ?? [];
    threads.set(thread, timed);
    timed.push({ calls: frames.map(frameOf).reverse(), timeNs });
  }
  return new Map([...threads].map(([thread, timed]) => [thread, samplesIn(windows, timed)]));
}

/** `16c2e4b Builtins_AtomicsAdd (/usr/bin/node)`, `7f35 JS:*add file:///lab/structures/a.ts:1:102 (/tmp/perf-1.map)`. */
function frameOf(line: string): CodeFrame {
  const [, symbol = "", library = ""] = /^\s*[0-9a-f]+\s+(.*) \(([^()]*|\[[^\]]*\])\)$/.exec(line) ?? [];
  // Behind the colon the tier: ~ interpreter, ^ baseline, + Maglev, * TurboFan; ' where made for one closure.
  const script = /^JS:[~^+*]?'?(.*?) ?((?:file:\/\/|node:|\/).*):(\d+):\d+$/.exec(symbol);
  if (script !== null) {
    const [, name = "", url = "", at] = script;
    return { name, file: readableFile(url), line: Number(at) };
  }
  return { name: symbol.replace(/^JS:/, "") || "(unknown)", file: libraryOf(library), line: 0 };
}

/** A library by its file's name: `node`, `libc.so.6`, `[kernel.kallsyms]`; none where code was made at run time. */
function libraryOf(path: string): string {
  const name = path.split("/").at(-1)!;
  return /^perf-\d+\.map$/.test(name) || name === "[unknown]" ? "" : name;
}
