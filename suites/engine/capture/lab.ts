import { type Channel, channel } from "node:diagnostics_channel";
import { isMainThread } from "node:worker_threads";
import type { Lab } from "../lab.ts";
import { addressAt, EMPTY_ASYNC_TASK, type TaskAddress } from "./address.ts";
import { type Imported, importFile } from "./import-file.ts";
import { seededBy } from "./isolate.ts";
import { endStarted } from "./processes.ts";
import { Refusal } from "./reason.ts";
import { keysOf, labelOf, type Operation, type SharedWork, type Task, type TaskPlace } from "./task.ts";
import { runInTurn } from "./together.ts";

/** A task in the thread that is to run it. */
export interface LoadedTask {
  /** Ready to run; undefined where its workers share memory, and on a process's main thread. */
  readonly operation?: Operation;
  /** Where workers share memory, for `open`. */
  readonly task?: Task;
  /** Whether each operation is awaited. */
  readonly isAsync: boolean;
  /** How its workers share memory, if they do. */
  readonly workers?: SharedWork;
}

/** Loads tasks of bench files as the competitors of races (see task-race.ts). Each thread that runs a task imports its file. */
export default {
  async load(url, _allocator, seed): Promise<LoadedTask> {
    const address = addressAt(url);
    if (address === undefined) return url === EMPTY_ASYNC_TASK ? emptyAsync : empty;
    const { isAsync = false } = address;
    if (isMainThread) endStarted();
    // A process's main thread runs no task, and needs its file only for what its workers share.
    if (isMainThread && address.isShared !== true) return { isAsync };
    const imported = await importFile(address, seed);
    const task = taskIn(imported, address);
    const { workers } = imported;
    if (address.isShared === true) {
      const opened = {
        ...task,
        open: (place?: TaskPlace) => openBy(place?.worker.seed ?? seed, task, place),
      };
      const shared = workers?.shared && (() => seededBy(seed, () => workers.shared!()));
      return {
        task: opened,
        isAsync,
        ...(workers === undefined ? {} : { workers: { ...workers, ...(shared && { shared }) } }),
      };
    }
    const operation = await openBy(seed, task);
    READY.publish(undefined);
    const rivals = address.isTogether === true ? await rivalsOf(task, imported, seed) : [];
    await runInTurn([operation, ...rivals]);
    return { operation, isAsync };
  },
} satisfies Lab;

/** Hears of each task in this thread that is ready to run; nothing of it has run. */
export const READY: Channel = channel("hotpath-race:ready");

/** Set-ups draw the same data for all tasks of a race. */
function openBy(seed: number, task: Task, place?: TaskPlace): ReturnType<Task["open"]> {
  return seededBy(seed, () => task.open(place));
}

/** The other tasks of its group, as far as they can be made ready. */
async function rivalsOf(task: Task, { tasks }: Imported, seed: number): Promise<Operation[]> {
  const group = JSON.stringify(task.groups);
  const rivals: Operation[] = [];
  for (const rival of tasks) {
    if (rival === task || rival.refused !== undefined || JSON.stringify(rival.groups) !== group) continue;
    try {
      rivals.push(await openBy(seed, rival));
    } catch {
      // The crew that races it says so.
    }
  }
  return rivals;
}

const empty: LoadedTask = { operation: { run: () => undefined }, isAsync: false };
const emptyAsync: LoadedTask = { operation: { run: async () => undefined }, isAsync: true };

/** Throws a Refusal where this import has no such task. */
function taskIn({ tasks }: Imported, { key }: TaskAddress): Task {
  const wanted = JSON.stringify(key);
  const index = keysOf(tasks).findIndex((one) => JSON.stringify(one) === wanted);
  if (index !== -1) return tasks[index]!;
  throw new Refusal(
    `the list of tasks differs from import to import: '${labelOf(key)}' is missing in this one`,
  );
}
