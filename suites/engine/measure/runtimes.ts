import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { firstLine } from "../../../structures/shared/examination.ts";
import { ROOT } from "../schema/npm.ts";
import { parseName, UsageError } from "../schema/usage.ts";

/**
 * The runtimes that the lab knows by name, and where they are. node24 is the project's own and comes with it. The others
 * are packages of `scripts/runtimes/package.json`, one for each platform: they hold the executable alone, need no install
 * script, and are no part of what `npm ci` installs.
 */
const STARTS = {
  node20: { file: "bin/node", args: [] },
  node22: { file: "bin/node", args: [] },
  node24: { file: "bin/node", args: [] },
  node26: { file: "bin/node", args: [] },
  bun: { file: "bin/bun", args: [] },
  // It may do what a program of the others may, and leaves no lock file behind.
  deno: { file: "deno", args: ["run", "--allow-all", "--no-lock", "--quiet"] },
} as const;

export type Runtime = keyof typeof STARTS;
export const RUNTIMES = Object.keys(STARTS) as Runtime[];

/** Those that run the lab itself, whose files are TypeScript. The package runs on all. */
export const LAB_RUNTIMES = RUNTIMES.filter((runtime) => runtime !== "node20");

/** Where `npm run runtimes` installs them. */
export const RUNTIMES_FOLDER = join(ROOT, "scripts", "runtimes");

/** How a program is started: the executable, and the arguments before the program's own path. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
}

/** Undefined where it is not installed: `notInstalled` says how it is. */
export function startOf(runtime: Runtime, installed = RUNTIMES_FOLDER): Start | undefined {
  const own = join(ROOT, "node_modules", "node");
  const folder =
    runtime === "node24" ? own : join(installed, "node_modules", `${runtime}-${platform()}-${arch()}`);
  const { file, args } = STARTS[runtime];
  const path = join(folder, file);
  return existsSync(path) ? { file: path, args } : undefined;
}

/** Why there is no start, in one line. */
export function notInstalled(runtime: Runtime): string {
  return `${runtime} is not installed: ${runtime === "node24" ? "npm ci" : "npm run runtimes"} installs it`;
}

/** Of one that is to run the lab. Throws a UsageError for an unknown name, and for one that is not installed. */
export function parseRuntime(option: string, text: string, installed = RUNTIMES_FOLDER): Start {
  const runtime = parseName(option, text, LAB_RUNTIMES);
  const start = startOf(runtime, installed);
  if (start === undefined) throw new UsageError(`${option} ${notInstalled(runtime)}`);
  return start;
}

/** What a runtime is asked for, as a table names it. */
export const ABILITIES = {
  sharedMemory: "SharedArrayBuffer",
  mainThreadWait: "Atomics.wait on the main thread",
  waitAsync: "Atomics.waitAsync",
  pause: "Atomics.pause",
  growable: "growable buffers",
  wasmThreads: "shared memory and atomics in WebAssembly",
  workerThreads: "node:worker_threads",
  oneClock: "process.hrtime is one clock for all threads",
  cpuProfile: "worker.startCpuProfile",
  heapStatistics: "v8.getHeapStatistics",
  piscina: "piscina",
} as const;
export type Ability = keyof typeof ABILITIES;

/** What a runtime says of itself. */
export interface RuntimeFacts {
  readonly name: string;
  readonly version: string;
  /** The one that it has: Bun tells the version of another as well. */
  readonly engine: string;
  readonly has: Readonly<Record<Ability, boolean>>;
}

const PROBE = join(ROOT, "suites", "engine", "measure", "runtime-probe.ts");
/** It answers in less than a second; in ms. */
const PROBE_LIMIT_MS = 60_000;

/** Asks a runtime what it is and has, in a process of it. Rejects with an Error of one line where it does not answer. */
export async function askRuntime({ file, args }: Start, program = PROBE): Promise<RuntimeFacts> {
  try {
    const { stdout } = await promisify(execFile)(file, [...args, program], { timeout: PROBE_LIMIT_MS });
    return JSON.parse(stdout) as RuntimeFacts;
  } catch (error) {
    throw new Error(`it does not say what it is: ${firstLine(String(error))}`);
  }
}
