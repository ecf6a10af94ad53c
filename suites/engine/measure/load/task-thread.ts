import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { TASK_ENDED, type TaskEnd, type ThreadTask } from "./threads.ts";

/** A thread that calls the default export of a program with one task, and reports what it returns. */
const [[task], { default: carryOut }] = (await Promise.all([
  once(parentPort!, "message"),
  import((workerData as ThreadTask).program),
])) as [[unknown], { default(task: unknown): unknown }];
parentPort!.postMessage({ ended: TASK_ENDED, value: await carryOut(task) } satisfies TaskEnd);
