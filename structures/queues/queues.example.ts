import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachReceiver, attachSender, CLOSED, makeQueue, type QueueInstance } from "hotpath-lab/queues";
import spscRing from "hotpath-lab/queues/spsc-ring";

/**
 * A worker sends words to the main thread, which goes on with other work while there are none. It prints:
 *
 *     5050
 */
if (isMainThread) {
  const queue = makeQueue(spscRing, { capacity: 16, longest: 1, producers: 1, consumers: 1 });
  new Worker(new URL(import.meta.url), { workerData: queue });
  const receiver = attachReceiver(spscRing, queue, 0);
  const word = new Int32Array(1);
  let sum = 0;
  while ((await receiver.receiveAsync(word)) !== CLOSED) sum += word[0]!;
  console.log(sum);
} else {
  const sender = attachSender(spscRing, workerData as QueueInstance, 0);
  for (let number = 1; number <= 100; number++) sender.send(Int32Array.of(number));
  sender.close();
}
