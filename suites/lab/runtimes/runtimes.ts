import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LAB_RUNTIME } from "../../engine/measure/plan/plan.ts";
import type { Start } from "../../engine/race.ts";
import { firstLine } from "../../engine/schema/lines.ts";
import { ROOT } from "../command/npm.ts";
import { parseName, UsageError } from "../command/usage.ts";
import type { NamedRuntime, RuntimeFacts } from "./abilities.ts";

/** How a runtime is found and started. What it has, `askRuntime` finds out. */
interface Known {
  /** Its executable, in its folder. */
  readonly file: string;
  /** What stands before the program that it runs. */
  readonly args: readonly string[];
  /** Where it is, by its name and the folder in which `npm run runtimes` installed others. */
  readonly folder: (name: string, installed: string) => string;
  /** The command that installs it. */
  readonly installedBy: string;
  /** Whether it runs TypeScript, and so the lab. The package runs on all. */
  readonly hasTypeScript: boolean;
}

/**
 * A package of `scripts/runtimes/package.json`, one for each platform: it holds the executable alone, needs no install
 * script, and is no part of what `npm ci` installs.
 */
const PACKAGE = {
  args: [],
  folder: (name, installed) => join(installed, "node_modules", `${name}-${platform()}-${arch()}`),
  installedBy: "npm run runtimes",
  hasTypeScript: true,
} satisfies Omit<Known, "file">;
/** The project's own, which comes with it. */
const OWN = { folder: () => join(ROOT, "node_modules", "node"), installedBy: "npm ci" };

const KNOWN = {
  node20: { ...PACKAGE, file: "bin/node", hasTypeScript: false },
  node22: { ...PACKAGE, file: "bin/node" },
  [LAB_RUNTIME]: { ...PACKAGE, ...OWN, file: "bin/node" },
  node26: { ...PACKAGE, file: "bin/node" },
  bun: { ...PACKAGE, file: "bin/bun" },
  // It may do what a program of the others may, and leaves no lock file behind.
  deno: { ...PACKAGE, file: "deno", args: ["run", "--allow-all", "--no-lock", "--quiet"] },
} satisfies Readonly<Record<string, Known>>;

export type Runtime = keyof typeof KNOWN;
export const RUNTIMES = Object.keys(KNOWN) as Runtime[];

/** The runtimes that run the lab itself. */
export const LAB_RUNTIMES = RUNTIMES.filter((runtime) => KNOWN[runtime].hasTypeScript);
/** All but the project's own. */
export const OTHER_RUNTIMES = RUNTIMES.filter((runtime) => runtime !== LAB_RUNTIME);

/** Where `npm run runtimes` installs them. */
export const RUNTIMES_FOLDER = join(ROOT, "scripts", "runtimes");

/** Undefined where it is not installed: `notInstalled` says how it is. */
export function startOf(runtime: Runtime, installed = RUNTIMES_FOLDER): Start | undefined {
  const { file, args, folder } = KNOWN[runtime];
  const path = join(folder(runtime, installed), file);
  return existsSync(path) ? { file: path, args } : undefined;
}

/** Why there is no start, in one line. */
export function notInstalled(runtime: Runtime): string {
  return `${runtime} is not installed: ${KNOWN[runtime].installedBy} installs it`;
}

/** The start of a runtime; or why there is none, where it is not installed in that folder. */
export function startOrReason(runtime: string, installed = RUNTIMES_FOLDER): Start | string {
  return startOf(runtime as Runtime, installed) ?? notInstalled(runtime as Runtime);
}

/** Of one that is to run the lab. Throws a UsageError for an unknown name, and for one that is not installed. */
export function parseRuntime(option: string, text: string, installed = RUNTIMES_FOLDER): Start {
  const runtime = parseName(option, text, LAB_RUNTIMES);
  const start = startOf(runtime, installed);
  if (start === undefined) throw new UsageError(`${option} ${notInstalled(runtime)}`);
  return start;
}

/** Asks for every one that runs the lab. */
export const ALL_RUNTIMES = "all";

/**
 * `node24,bun`, or `all`: each once. The lab's own comes first, because the others are compared with the first. The
 * rest are in the order in which they are named. Throws a UsageError as `parseRuntime` does.
 */
export function parseRuntimes(option: string, text: string, installed = RUNTIMES_FOLDER): NamedRuntime[] {
  const named = text.split(",").map((name) => name.trim());
  const names = new Set<string>(named.flatMap((name) => (name === ALL_RUNTIMES ? LAB_RUNTIMES : [name])));
  return [...names]
    .toSorted((a, b) => Number(b === LAB_RUNTIME) - Number(a === LAB_RUNTIME))
    .map((name) => ({ name, start: parseRuntime(option, name, installed) }));
}

const PROBE = fileURLToPath(new URL("./runtime-probe.ts", import.meta.url));
/** They answer within a few seconds; in ms. */
const PROBE_LIMIT_MS = 60_000;
/** What all competitors say of themselves is some hundred kilobytes. */
const MOST_BYTES = 2 ** 26;

/** Asks a runtime what it is and has, in a process of it. Rejects with an Error of one line where it does not answer. */
export async function askRuntime(start: Start, program = PROBE): Promise<RuntimeFacts> {
  return (await lastLineOf(start, [program])) as RuntimeFacts;
}

/** What a program says in its last line. */
export async function lastLineOf({ file, args }: Start, program: readonly string[]): Promise<unknown> {
  try {
    const { stdout } = await promisify(execFile)(file, [...args, ...program], {
      timeout: PROBE_LIMIT_MS,
      maxBuffer: MOST_BYTES,
    });
    return JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
  } catch (error) {
    throw new Error(`it does not say what it is: ${firstLine(String(error))}`);
  }
}
