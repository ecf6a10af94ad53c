import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The variable that marks every process of a trial: children inherit it, whatever else they do. */
export const MARK = "HOTPATH_ABUSE";

/** The processes that began with this mark and have not ended, as Linux lists them in /proc. */
export function processesOf(mark: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(pid, "environ").some((variable) => variable.startsWith(`${MARK}=${mark}`)))
    .map((pid) => ({ pid: Number(pid), command: read(pid, "cmdline").join(" ").trim() }));
}

/** Nothing of a process that has ended meanwhile, or is another user's. */
function read(pid: string, file: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** How long the processes of a command may take to end after it: an orphaned fork notices at its next breath. */
const TO_VANISH_MS = 5_000;
const POLL_MS = 20;

/** The command lines of those that are still there when all have had time to end. */
export async function lingering(mark: string): Promise<string[]> {
  const deadlineMs = performance.now() + TO_VANISH_MS;
  while (processesOf(mark).length > 0 && performance.now() < deadlineMs) await setTimeout(POLL_MS);
  return processesOf(mark).map(({ command }) => command);
}

/** Ends all of them, and those that they start meanwhile. */
export function endAll(mark: string): void {
  for (let left = processesOf(mark); left.length > 0; left = processesOf(mark))
    for (const { pid } of left) send(pid, "SIGKILL");
}

/** Sends a signal to a process, or to a group by its negative number; it may have ended by itself. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
