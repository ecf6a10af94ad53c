import { Worker } from "node:worker_threads";

/** How often a process that is waited for says that it is alive, where nothing else is heard of it; in ms. */
export const ALIVE_EVERY_MS = 1_000;

/** Between two turns of the event loop of a process that races, which hears its parent's end and what failed; in ms. */
export const EVENT_LOOP_EVERY_MS = 200;

/** Parts that a time is counted in. */
const TICKS = 10;

/**
 * Calls `lost` after this long unless it is ended before. Only time in which this process runs is counted. One that was
 * stopped, by Ctrl-Z or with the whole machine, has not waited meanwhile, and the process that it waits for was stopped
 * too.
 */
export function losePatience(limitMs: number, lost: () => void): { end(): void } {
  let left = TICKS;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    lost();
  }, limitMs / TICKS);
  return { end: () => clearInterval(timer) };
}

/** How often the parent is looked for, in ms. */
const EVERY_MS = 500;

/** A process whose parent has ended belongs to another one. */
const watchOver = (parent: number) => `
  setInterval(() => process.ppid === ${parent} || process.kill(process.pid, "SIGKILL"), ${EVERY_MS});
`;

/**
 * Ends this process with its parent, by a thread of its own. While code that never returns runs on the main thread, its
 * event loop does not hear that the channel is gone. Not in forks that race: the thread wakes now and then. Remote processes,
 * whose main thread turns to its event loop seldom, have it nevertheless.
 */
export function endWithParent(parent = process.ppid): void {
  // Asked here, because the parent may end before the thread begins.
  watch ??= new Worker(watchOver(parent), { eval: true });
  watch.unref();
}

let watch: Worker | undefined;
