import { once } from "node:events";
import { MessageChannel, type Worker } from "node:worker_threads";

/**
 * Deno emits `exit` within `terminate`, and the thread goes on. It stops where it returns to its event loop: a loop runs to
 * its end, and a thread that sleeps in Atomics.wait ends only after it was woken. Node and Bun emit `exit` when no code
 * of the thread runs any more. Source: Deno, ext/node/polyfills/worker_threads.ts, and denoland/deno#35657, which would
 * have `terminate` wait; seen with Deno 2.9.5.
 */
export const THREADS_END_LATE = process.versions.deno !== undefined;

/** Makes the worker emit `exit`, and `terminate` resolve, when its thread has ended. It emits once, as it does anyway. */
export function exitWithThread(worker: Worker): void {
  const { emit, terminate } = worker;
  let hasExited = false;
  let ended: Promise<unknown> | undefined;
  worker.emit = (name: string | symbol, ...args: unknown[]): boolean => {
    const emitted = () => Reflect.apply(emit, worker, [name, ...args]) as boolean;
    if (name !== "exit") return emitted();
    hasExited = true;
    if (ended === undefined) return emitted();
    void ended.then(emitted);
    return worker.listenerCount(name) > 0;
  };
  worker.terminate = async () => {
    if (!hasExited) ended ??= endOf(worker);
    const code = await Reflect.apply(terminate, worker, []);
    await ended;
    return code;
  };
}

/**
 * Resolves when the thread has ended. It gets one end of a channel in a message, which the runtime closes with all that
 * the thread has, received or not. The thread is about to be terminated: it hardly ever sees the message.
 */
function endOf(worker: Worker): Promise<unknown> {
  const { port1: mine, port2: its } = new MessageChannel();
  const closed = once(mine, "close");
  mine.start();
  worker.postMessage({}, [its]);
  return closed;
}
