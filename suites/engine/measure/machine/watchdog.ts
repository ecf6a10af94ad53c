import { Worker } from "node:worker_threads";

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
