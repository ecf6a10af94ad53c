import fs from "node:fs";

// Taken while this module is loaded: a competitor that comes later can replace them for itself alone.
const { existsSync, readFileSync, statSync } = fs;

/**
 * Threads that this process has now, in some 5 us. Undefined where the kernel does not report it, and on runtimes that
 * start threads of their own at any time. Node starts all of its own before any competitor runs, except the ones that
 * read files.
 */
export function threadsNow(): number | undefined {
  if (!IS_TOLD) return undefined;
  // The folder has an entry for each, and two besides.
  return statSync(TASKS).nlink - 2;
}

const TASKS = "/proc/self/task";
const IS_TOLD = existsSync(TASKS) && !("bun" in process.versions) && !("deno" in process.versions);

/** Threads that a process has now, and the most memory that it had; 0 for what the kernel does not report. */
export function statusOf(pid: number | "self"): { readonly threads: number; readonly maxRssBytes: number } {
  let status = "";
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // Not Linux, or the process is gone.
  }
  return {
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    maxRssBytes: 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0),
  };
}

/** Kills all that a process has started, and what these have. None where the kernel does not say which they are. */
export function killDescendants(pid: number | "self"): void {
  for (const one of descendantsOf(pid)) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function descendantsOf(pid: number | "self"): number[] {
  const threads = `/proc/${pid}/task`;
  try {
    const texts = fs.readdirSync(threads).map((one) => readFileSync(`${threads}/${one}/children`, "latin1"));
    const children = (texts.join("").match(/\d+/g) ?? []).map(Number);
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

/** How a process ended that has not answered, from the arguments of its event "close". */
export function howItEnded(code: number | null, killedBy: NodeJS.Signals | null): string {
  return killedBy === null ? `its process exited with code ${code}` : `its process died of ${killedBy}`;
}
