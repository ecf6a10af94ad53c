import { parentPort, workerData } from "node:worker_threads";
import { CLOSED } from "../../structures/queues/parts/handles.ts";
import { EMPTY, type QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import { attachReceiver } from "../../structures/queues/queues.instance.ts";
import { workFor } from "./pool-work.ts";
import type { PoolTask } from "./pools.ts";

/** A thread of a pool: does the tasks of its queues, those of the first one first, and says when each was done. */
const { competitorUrl, queues, bell, doneNs, epochNs } = workerData as PoolTask;
const { default: competitor } = (await import(competitorUrl)) as { default: QueuesCompetitor };
const receivers = queues.map(({ instance, consumer }) => attachReceiver(competitor, instance, consumer));
const message = new Int32Array(2);
parentPort!.postMessage("ready");

for (let isOpen = true; isOpen; ) {
  const rung = Atomics.load(bell.words, bell.at);
  let found: number = CLOSED;
  for (const receiver of receivers) {
    const length = receiver.tryReceive(message);
    if (length !== CLOSED) found = length;
    if (found > 0) break;
  }
  if (found > 0) {
    const [task, us] = message as unknown as [number, number];
    workFor(us);
    doneNs[task] = Number(process.hrtime.bigint() - epochNs);
  } else if (found === EMPTY) Atomics.wait(bell.words, bell.at, rung);
  else isOpen = false;
}
parentPort!.postMessage("done");
