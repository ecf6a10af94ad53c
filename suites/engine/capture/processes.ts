import childProcess, { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { killDescendants } from "../measure/machine/process-status.ts";

/** What bench files start from this process, however deep, ends with it. */
export function endStarted(): void {
  process.off("exit", end).once("exit", end);
}

function end(): void {
  killDescendants("self");
}

/** What starts a process: all that need not be waited for come to the first. */
const STARTERS: readonly (readonly [object, string])[] = [
  [ChildProcess.prototype, "spawn"],
  [childProcess, "spawnSync"],
  [childProcess, "execFileSync"],
  [childProcess, "execSync"],
];

let isPermitted = false;

/** From now on this thread starts no process, as Node's permissions would have it: they are for all code of a thread or none. */
export function refuseProcesses(): void {
  for (const [owner, name] of STARTERS) {
    const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
    Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
      if (isPermitted) return original.apply(this, given);
      throw Object.assign(new Error("Access to this API has been restricted"), {
        code: "ERR_ACCESS_DENIED",
        permission: "ChildProcess",
        resource: commandIn(given),
      });
    });
  }
  syncBuiltinESMExports();
}

/** Returns what `work` returns, which may start processes. */
export function withProcesses<T>(work: () => T): T {
  isPermitted = true;
  try {
    return work();
  } finally {
    isPermitted = false;
  }
}

/** The program's name and what it is given: of a shell, its command line. */
function commandIn([first, second]: readonly unknown[]): string {
  const { args = [first, ...(Array.isArray(second) ? second : [])] } = Object(first) as { args?: unknown[] };
  const [program, ...others] = args.map(String);
  if (/\s/.test(program!)) return program!;
  if (others[0] === "-c") return others.at(-1)!;
  return [basename(program!), ...others.filter((word) => !word.startsWith("--"))].join(" ");
}
