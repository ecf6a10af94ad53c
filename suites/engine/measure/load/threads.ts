import { type Transferable, Worker } from "node:worker_threads";
import type { StartThreads } from "../../lab.ts";
import { CONFINEMENT } from "../machine/confinement.ts";

/** What a thread says of its task at its end, in the place of the pool. */
export interface TaskEnd {
  readonly ended: typeof TASK_ENDED;
  readonly value?: unknown;
}
/** No message of a program has it. */
export const TASK_ENDED = "hotpath-race: task ended";

/** What `task-thread.ts` is started with. Its task comes by message: `workerData` is there for all code of the thread. */
export interface ThreadTask {
  readonly program: string;
}

/** A Worker for each task. */
export const startWorkers: StartThreads = (program, _count, hear) => {
  const workers: Worker[] = [];
  return {
    workers,
    run: (task, transferList: readonly Transferable[] = []) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL("./task-thread.ts", import.meta.url), {
          workerData: { program } satisfies ThreadTask,
          // Without flags of its own, and with those it would have the process's other ones.
          execArgv: [...CONFINEMENT],
        });
        workers.push(worker);
        worker.postMessage(task, transferList);
        worker.on("message", (message: unknown) => {
          if (isEnd(message)) resolve(message.value);
          else hear(message);
        });
        worker.on("error", reject);
        worker.on("exit", (code) => reject(new Error(`its thread ended with exit code ${code}`)));
      }),
    async destroy() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
};

function isEnd(message: unknown): message is TaskEnd {
  return (message as Partial<TaskEnd> | null)?.ended === TASK_ENDED;
}
