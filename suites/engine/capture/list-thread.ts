import { parentPort, workerData } from "node:worker_threads";
import type { FileImport } from "./address.ts";
import { importFile } from "./import-file.ts";
import type { Listed } from "./list.ts";
import { keysOf } from "./task.ts";

/** The thread in which a file is listed: imports it and reports its tasks. */
const file = workerData as FileImport;
const { tasks, workers } = await importFile(file, 0);
const keys = keysOf(tasks);
parentPort!.postMessage({
  ...file,
  tasks: tasks.map(({ isBaseline = false, refused }, index) => ({
    ...keys[index]!,
    isBaseline,
    ...(refused === undefined ? {} : { refused }),
  })),
  ...(workers === undefined ? {} : { workerCounts: workers.counts }),
} satisfies Listed);
