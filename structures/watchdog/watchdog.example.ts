import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import {
  attachWatchdog,
  makeWatchdog,
  type WatchdogInstance,
  watchdogText,
  watchLoops,
} from "hotpath-lab/watchdog";

/**
 * A thread of its own watches the event loop of the main thread, which hangs in a loop. It prints:
 *
 *     loop 0 was hung
 */
if (isMainThread) {
  const watchdog = makeWatchdog({ loops: 1 });
  const watching = new Worker(new URL(import.meta.url), { workerData: watchdog });
  watching.once("message", async (line: string) => {
    await watching.terminate();
    console.log(line);
  });
  await new Promise((resolve) => watching.once("online", resolve));
  const { stop } = attachWatchdog(watchdog, 0, { everyMs: 10 });
  // Hangs until that has been seen.
  while (!watchdogText(watchdog).includes('event_loop_hangs_total{loop="0"} 1'));
  stop();
} else {
  const onHung = ({ loop }: { readonly loop: number }) => parentPort!.postMessage(`loop ${loop} was hung`);
  watchLoops(workerData as WatchdogInstance, { hungMs: 100, onHung });
}
