import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Which processes an abuse has started, as Linux tells in /proc: whatever they did since, their environment names it. */

/** The variable whose value is the mark of a process: every child inherits it. */
export const MARK = "HOTPATH_ABUSE";

export interface MarkedProcess {
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/** The processes that began with this mark, and have not ended. */
export function processesOf(mark: string): MarkedProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = read(pid, "environ").split("\0");
      if (!environment.includes(`${MARK}=${mark}`)) return [];
      return [{ pid: Number(pid), command: read(pid, "cmdline").replaceAll("\0", " ").trim() }];
    });
}

/** One that has ended meanwhile, or is another user's, has none. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** How long a command's processes may take to end after it; a fork that was orphaned hears of it at its next breath. */
const TO_VANISH_MS = 5_000;
const POLL_MS = 20;

/** Those that are still there when all have had time to end. */
export async function lingering(mark: string): Promise<MarkedProcess[]> {
  const deadlineMs = performance.now() + TO_VANISH_MS;
  for (;;) {
    const left = processesOf(mark);
    if (left.length === 0 || performance.now() > deadlineMs) return left;
    await setTimeout(POLL_MS);
  }
}

/** Ends all of them, and those that they start meanwhile. */
export function endAll(mark: string): void {
  for (let left = processesOf(mark); left.length > 0; left = processesOf(mark)) {
    for (const { pid } of left) send(pid, "SIGKILL");
  }
}

/** Sends a signal to a process, or to a group by its negative number; it may have ended by itself. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
