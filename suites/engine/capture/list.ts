import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FileImport } from "./address.ts";
import type { TaskKey } from "./task.ts";

/** What a file describes, without the functions. */
export interface Listed extends FileImport {
  readonly tasks: readonly ListedTask[];
  /** Numbers of workers that share memory; undefined where each task runs alone. */
  readonly workerCounts?: readonly number[];
}

export interface ListedTask extends TaskKey {
  readonly isBaseline: boolean;
  readonly refused?: string;
}

/** For a `CallJob`: lists the tasks of a file in a thread of its own, as they are raced. Rejects with what the file throws. */
export default async function list(imported: FileImport): Promise<Listed> {
  const worker = new Worker(new URL("./list-thread.ts", import.meta.url), {
    workerData: imported,
    execArgv: [],
  });
  const [listed] = (await once(worker, "message")) as [Listed];
  await worker.terminate();
  return listed;
}
