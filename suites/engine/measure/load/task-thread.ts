import { parentPort, workerData } from "node:worker_threads";
import { TASK_ENDED, type TaskEnd, type ThreadTask } from "./threads.ts";

/** A thread that calls the default export of a program with one task, and reports what it returns. */
const { program, task } = workerData as ThreadTask;
const { default: carryOut } = (await import(program)) as { default(task: unknown): unknown };
parentPort!.postMessage({ ended: TASK_ENDED, value: await carryOut(task) } satisfies TaskEnd);
