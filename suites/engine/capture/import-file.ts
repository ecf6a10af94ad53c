import { realpathSync } from "node:fs";
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import type { FileImport } from "./address.ts";
import { Collection } from "./collection.ts";
import { exportedTasks, sharedWorkOf } from "./exported.ts";
import { type Finding, standIn } from "./hooks.ts";
import { isolate, seededBy } from "./isolate.ts";
import { Fault, labelOfFile, type Missing, Refusal, reasonOf } from "./reason.ts";
import type { SharedWork, Task } from "./task.ts";
import { strangerReason } from "./taskless.ts";

/** What the import of a bench file gave. */
export interface Imported {
  readonly tasks: readonly Task[];
  readonly workers: SharedWork | undefined;
  /** Whether it called a harness's `run`, so that how such a call ends makes a difference. */
  readonly hasRun: boolean;
  /** How long the import took, in ms. */
  readonly importMs: number;
}

/** An import has ended when it has added nothing for this long, in ms. */
const QUIET_MS = 45;
/** A file that has described nothing yet may still do so while its thread has work, for this long, in ms. */
const LATE_MS = 5_000;
/** An import that takes longer has failed, in s. */
export const IMPORT_LIMIT_S = 60;

/**
 * Imports a bench file in this thread, which imports no other, and returns the tasks that it describes. `seed` is what
 * `Math.random` draws from until then. Rejects with a Refusal, whose `cause` is what failed after a run, if it did.
 */
export async function importFile(
  { file, ending }: FileImport,
  seed: number,
  finding: Partial<Finding> = {},
): Promise<Imported> {
  const begunMs = now();
  const main = pathToFileURL(realpathSync(fileURLToPath(file))).href;
  const collection = new Collection(ending);
  const loaded = new Map<string, boolean>();
  const missing = new Map<unknown, Missing>();
  let module: Readonly<Record<string, unknown>> | undefined;
  let hasHarness = false;
  let settledMs: number | undefined;
  let failure: { readonly error: unknown } | undefined;
  const settle = () => {
    settledMs ??= now();
    collection.imported();
  };
  let isReturned = false;
  const exited = () => {
    // A main thread only waits for the threads that race.
    if (isReturned && isMainThread) return;
    // Of CommonJS that ends so, what it has exported is known now alone.
    module ??= process.mainModule?.exports as typeof module;
    settle();
    throw new Exit("it calls process.exit");
  };
  const fail = (error: unknown) => {
    // After a run a file reads results that are made up. They explain no import that fails.
    const isExplained = collection.hasRun && !missing.has(error) && !(error instanceof SyntaxError);
    if (error instanceof Exit || isExplained) return;
    if (isReturned) throw error;
    failure ??= { error };
  };
  const listed = async () =>
    collection.tasks.length > 0 ? collection.tasks : await exportedTasks(module ?? {});
  const isOver = async () => {
    if (collection.hasRun) return collection.isPaused || settledMs !== undefined || !hasWork();
    if (settledMs === undefined) return false;
    const isLate = !hasWork() || now() - settledMs > LATE_MS;
    return isLate || collection.refusal !== undefined || (await listed()).length > 0;
  };
  standIn(collection, main, {
    loaded(url, hasItsLines) {
      loaded.set(url, hasItsLines);
      finding.loaded?.(url, hasItsLines);
    },
    stoodIn() {
      hasHarness = true;
      finding.stoodIn?.();
    },
    resolved: (...found) => finding.resolved?.(...found),
    missed: (error, what) => missing.set(error, what),
  });
  isolate(main, { exited, failed: fail });
  let hasEnded = false;
  const imported = async (): Promise<Imported> => {
    import(main)
      .then((whole) => {
        module = whole as typeof module;
      }, fail)
      .finally(settle);
    for (let seen = -1; seen !== collection.changes || collection.isBusy || !(await isOver()); ) {
      seen = collection.changes;
      hasEnded = await quiet();
      if (collection.failure !== undefined) fail(collection.failure.error);
      if (failure !== undefined) throw failure.error;
      if (now() - begunMs > 1000 * IMPORT_LIMIT_S) throw new Refusal(endlessReason(main));
      if (!hasEnded) continue;
      if (collection.hasRun) break;
      if (settledMs === undefined || collection.isBusy)
        throw new Fault("it awaits a promise that never settles");
    }
    const importMs = now() - begunMs - (hasEnded ? 0 : QUIET_MS);
    const tasks = await listed();
    if (tasks.length === 0 && collection.refusal !== undefined) throw new Fault(collection.refusal);
    const workers = sharedWorkOf(module ?? {});
    if (workers !== undefined && collection.tasks.length > 0)
      throw new Fault("exports workers, which is for files that export functions: remove it or the harness");
    return { tasks, workers, hasRun: collection.hasRun, importMs };
  };
  const stopHearing = () => process.off("uncaughtException", fail).off("unhandledRejection", fail);
  try {
    return await seededBy(seed, imported);
  } catch (error) {
    stopHearing();
    const stranger = error instanceof Refusal ? undefined : strangerReason(main, error, hasHarness);
    const reason = stranger ?? reasonOf(error, { main, loaded, missing: missing.get(error) });
    throw new Refusal(reason, failure && collection.hasRun ? { cause: failure.error } : {});
  } finally {
    isReturned = true;
    // A process has listeners of its own.
    if (isMainThread) stopHearing();
  }
}

/** What `process.exit` throws, so that a file ends and its thread does not. */
class Exit extends Error {}

/** That the import of a file takes too long. */
export function endlessReason(main: string): string {
  return `${labelOfFile(main)} is still being imported after ${IMPORT_LIMIT_S} s, which is the limit: race a part of it`;
}

// Files replace the clock that others read.
const now = performance.now.bind(performance);

/** Waits for a moment; returns at once, with true, where nothing is left that this thread could do. */
function quiet(): Promise<boolean> {
  return new Promise((resolve) => {
    const ended = () => {
      clearTimeout(timer);
      // Without anything to be done this thread would end.
      setImmediate(resolve, true);
    };
    const timer = setTimeout(() => {
      process.off("beforeExit", ended);
      resolve(false);
    }, QUIET_MS).unref();
    process.once("beforeExit", ended);
  });
}

/** Whether this thread waits for anything that is not a message. */
function hasWork(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource !== "MessagePort");
}
