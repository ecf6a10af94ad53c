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
import { type PerOperation, perOperationOf } from "./throughput.ts";

/** What the import of a bench file gave. */
export interface Imported {
  readonly tasks: readonly Task[];
  readonly workers: SharedWork | undefined;
  /** Of each task. */
  readonly perOperation: readonly (PerOperation | undefined)[];
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
export function importFile(
  { file, ending }: FileImport,
  seed: number,
  finding: Partial<Finding> = {},
): Promise<Imported> {
  const main = pathToFileURL(realpathSync(fileURLToPath(file))).href;
  return new Import(main, new Collection(ending)).carriedOut(seed, finding);
}

type Exports = Readonly<Record<string, unknown>>;

class Import {
  readonly #main: string;
  readonly #collection: Collection;
  readonly #begunMs = now();
  readonly #loaded = new Map<string, boolean>();
  readonly #missing = new Map<unknown, Missing>();
  #module: Exports | undefined;
  #hasHarness = false;
  #settledMs: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isReturned = false;

  constructor(main: string, collection: Collection) {
    this.#main = main;
    this.#collection = collection;
  }

  async carriedOut(seed: number, finding: Partial<Finding>): Promise<Imported> {
    const main = this.#main;
    standIn(this.#collection, main, {
      loaded: (url, hasItsLines) => {
        this.#loaded.set(url, hasItsLines);
        finding.loaded?.(url, hasItsLines);
      },
      stoodIn: () => {
        this.#hasHarness = true;
        finding.stoodIn?.();
      },
      resolved: (...found) => finding.resolved?.(...found),
      missed: (error, what) => this.#missing.set(error, what),
    });
    isolate(main, { exited: this.#exited, failed: this.#fail });
    const stopHearing = () =>
      process.off("uncaughtException", this.#fail).off("unhandledRejection", this.#fail);
    try {
      return await seededBy(seed, () => this.#imported());
    } catch (error) {
      stopHearing();
      const stranger = error instanceof Refusal ? undefined : strangerReason(main, error, this.#hasHarness);
      const missing = this.#missing.get(error);
      const reason = stranger ?? reasonOf(error, { main, loaded: this.#loaded, missing });
      const isAfterRun = this.#failure !== undefined && this.#collection.hasRun;
      throw new Refusal(reason, isAfterRun ? { cause: this.#failure!.error } : {});
    } finally {
      this.#isReturned = true;
      // A process has listeners of its own.
      if (isMainThread) stopHearing();
    }
  }

  async #imported(): Promise<Imported> {
    const collection = this.#collection;
    import(this.#main)
      .then((whole) => {
        this.#module = whole as Exports;
      }, this.#fail)
      .finally(() => this.#settle());
    const hasEnded = await this.#isQuiet();
    const importMs = now() - this.#begunMs - (hasEnded ? 0 : QUIET_MS);
    const tasks = await this.#listed();
    if (tasks.length === 0 && collection.refusal !== undefined) throw new Fault(collection.refusal);
    const workers = sharedWorkOf(this.#module ?? {});
    if (workers !== undefined && collection.tasks.length > 0)
      throw new Fault("exports workers, which is for files that export functions: remove it or the harness");
    const perOperation = perOperationOf(this.#module ?? {}, tasks);
    return { tasks, workers, perOperation, hasRun: collection.hasRun, importMs };
  }

  /** Waits until the file adds nothing more. Whether nothing is left that the thread could do. */
  async #isQuiet(): Promise<boolean> {
    const collection = this.#collection;
    let hasEnded = false;
    for (let seen = -1; seen !== collection.changes || collection.isBusy || !(await this.#isOver()); ) {
      seen = collection.changes;
      hasEnded = await quiet();
      if (collection.failure !== undefined) this.#fail(collection.failure.error);
      if (this.#failure !== undefined) throw this.#failure.error;
      if (now() - this.#begunMs > 1000 * IMPORT_LIMIT_S) throw new Refusal(endlessReason(this.#main));
      if (!hasEnded) continue;
      if (collection.hasRun) break;
      if (this.#settledMs === undefined || collection.isBusy)
        throw new Fault("it awaits a promise that never settles");
    }
    return hasEnded;
  }

  async #isOver(): Promise<boolean> {
    const { hasRun, isPaused, refusal } = this.#collection;
    if (hasRun) return isPaused || this.#settledMs !== undefined || !hasWork();
    if (this.#settledMs === undefined) return false;
    const isLate = !hasWork() || now() - this.#settledMs > LATE_MS;
    return isLate || refusal !== undefined || (await this.#listed()).length > 0;
  }

  async #listed(): Promise<readonly Task[]> {
    const { tasks } = this.#collection;
    return tasks.length > 0 ? tasks : await exportedTasks(this.#module ?? {});
  }

  #settle(): void {
    this.#settledMs ??= now();
    this.#collection.imported();
  }

  readonly #exited = (): void => {
    // A main thread only waits for the threads that race.
    if (this.#isReturned && isMainThread) return;
    // Of CommonJS that ends so, what it has exported is known now alone.
    this.#module ??= process.mainModule?.exports as Exports;
    this.#settle();
    throw new Exit("it calls process.exit");
  };

  readonly #fail = (error: unknown): void => {
    // After a run a file reads results that are made up. They explain no import that fails.
    const isExplained =
      this.#collection.hasRun && !this.#missing.has(error) && !(error instanceof SyntaxError);
    if (error instanceof Exit || isExplained) return;
    if (this.#isReturned) throw error;
    this.#failure ??= { error };
  };
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
