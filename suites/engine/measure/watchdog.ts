import { Worker } from "node:worker_threads";

/** How often the parent is looked for, in ms. */
const EVERY_MS = 500;

/** A process whose parent has ended belongs to another one. */
const WATCH = `
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), ${EVERY_MS});
`;

/**
 * Ends this process with its parent, by a thread of its own: while code that never returns runs on the main thread, its
 * event loop does not hear that the channel is gone. Not where time is measured: the thread wakes.
 */
export function endWithParent(): void {
  watch ??= new Worker(WATCH, { eval: true });
  watch.unref();
}

let watch: Worker | undefined;
