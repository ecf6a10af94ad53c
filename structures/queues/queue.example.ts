import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachConsumer, attachProducer, createQueue, type Queue } from "hotpath-lab/queue";

/**
 * A thread sends lines to another, which awaits them, so that its event loop goes on. It prints:
 *
 *     1000 lines, the last of them: line 999
 */
if (isMainThread) {
  const decoder = new TextDecoder();
  let [lines, last] = [0, ""];
  const queue = createQueue({ frames: 1024, capacity: 4096 });
  new Worker(new URL(import.meta.url), { workerData: queue });
  for await (const line of attachConsumer(queue, 0)) {
    lines++;
    last = decoder.decode(line);
  }
  console.log(`${lines} lines, the last of them: ${last}`);
} else {
  const lines = attachProducer(workerData as Queue<"frames">, 0);
  for (let number = 0; number < 1_000; number++) await lines.send(`line ${number}`);
  lines.close();
}
