import { setTimeout as sleep } from "node:timers/promises";
import type { FileImport } from "./address.ts";
import { Collection } from "./collection.ts";
import { exportedTasks, sharedWorkOf } from "./exported.ts";
import { standIn } from "./hooks.ts";
import type { SharedWork, Task } from "./task.ts";

/** What the import of a bench file gave. */
export interface Imported {
  readonly tasks: readonly Task[];
  readonly workers: SharedWork | undefined;
}

/** An import has ended when it has settled, or waits in a `run`, and has added nothing for this long, in ms. */
const QUIET_MS = 45;

/**
 * Imports a bench file in this thread, which imports no other, and returns the tasks that it describes. `seed` is what
 * `Math.random` draws from until then. Rejects with what the file throws.
 */
export async function importFile({ file, ending }: FileImport, _seed: number): Promise<Imported> {
  const collection = new Collection(ending);
  standIn(collection);
  let module: Readonly<Record<string, unknown>> | undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    import(file).then((whole) => {
      module = whole;
      collection.imported();
    }, reject);
  });
  const hasEnded = () => (module !== undefined || collection.isPaused) && !collection.isBusy;
  for (let seen = -1; seen !== collection.changes || !hasEnded(); ) {
    seen = collection.changes;
    await Promise.race([failed, sleep(QUIET_MS)]);
  }
  if (collection.failure !== undefined) throw collection.failure.error;
  // A file that waits for a `run` which never settles has exported nothing yet.
  module ??= {};
  const tasks = collection.tasks.length > 0 ? collection.tasks : await exportedTasks(module);
  if (tasks.length === 0 && collection.refusal !== undefined) throw new Error(collection.refusal);
  return { tasks, workers: sharedWorkOf(module) };
}
