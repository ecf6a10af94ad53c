import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * Locks by key: of all that hold one key at most one runs. Any number of keys; nothing is made for a key beforehand.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and uses a
 * handle of its own.
 */
export interface KeyedCompetitor extends Traits {
  /** Between whom a key excludes: all workers that attached, or the tasks of one thread alone. */
  readonly reach: "workers" | "thread";
  /**
   * In which order those that wait for a key get it. `arrival`: all workers in the order in which they came. `own`: only
   * the requests of one handle. A request that blocks its thread goes before those of its thread that do not.
   */
  readonly order: "arrival" | "own";
  /**
   * What happens to a key whose holder's thread is terminated. `keeps`: held for ever. `releases`: free, with the data as
   * they are. `recovers`: free once `workerExited` reports it, and the next request for the key mends the data. `dies`: the
   * key dies with the thread, which is its whole reach.
   */
  readonly deadHolder: "keeps" | "releases" | "recovers" | "dies";
  /** Whether a request inside the body of another of the same handle is refused. Elsewhere it may wait for itself. */
  readonly nested: "refused" | "waits";
  /** Whether a request can be taken back while it waits. */
  readonly aborts: boolean;
  /** Whether handles have `requestSync`. */
  readonly blocks: boolean;
  /** Size in int32 words. */
  words(setup: KeyedSetup): number;
  format(memory: Region, setup: KeyedSetup): void;
  /**
   * Reports, from any thread, that worker `index` has exited: see LockCompetitor. Frees every key that it held.
   */
  workerExited?(memory: Region, setup: KeyedSetup, index: number): void;
  attach(memory: Region, setup: KeyedSetup, worker: WorkerIdentity): Keyed;
}

export interface KeyedSetup {
  /** Locks that the keys share, 1 or more. Two keys may share one, and then exclude each other. */
  readonly stripes: number;
  readonly workers: number;
  /** Words for the keys of dead holders that a stripe has no room for; 0 if absent. */
  readonly suspects?: number;
}

/** A string, or an integer that a double represents exactly. 5 and "5" are two keys. */
export type Key = string | number;

/** What the body of a request gets: which key it holds. */
export interface HeldKey {
  readonly name: Key;
  readonly mode: "exclusive";
}

export interface RequestOptions {
  /** Takes the request back while it waits. Once the key is held it has no effect. Not together with `ifAvailable`. */
  readonly signal?: AbortSignal | undefined;
  /** Calls the body with null where the key cannot be had at once. */
  readonly ifAvailable?: boolean | undefined;
  /**
   * Mends the data of the key that a dead holder left, before the body runs. It may be called again for data that it has
   * mended. What it throws is passed on, the body does not run, and the next holder has the data to mend.
   */
  readonly mend?: (() => unknown) | undefined;
  /** There is no other mode. */
  readonly mode?: "exclusive" | undefined;
}

export type Body<Result> = (key: HeldKey | null) => Result | PromiseLike<Result>;

/** One worker's handle. Not to be passed to another thread. */
export interface Keyed {
  /**
   * Calls `body` while this worker holds the key, and resolves to what it returned or resolved to. The key is released
   * when that is settled. Never blocks the thread. Requests of one handle for one key run in the order in which they were
   * made.
   */
  request<Result>(key: Key, options: RequestOptions, body: Body<Result>): Promise<Result>;
  /** The same for a `body` that returns no promise. Blocks the thread until then. */
  requestSync?<Result>(key: Key, body: () => Result, options?: Pick<RequestOptions, "mend">): Result;
}

export const contract = {
  question: "Which lock by key keeps the work on one key apart, across workers, at the least cost?",
  oracle: "promise-chains",
  fields: {
    reach: { workers: true, thread: true },
    order: { arrival: true, own: true },
    deadHolder: { keeps: true, releases: true, recovers: true, dies: true },
    nested: { refused: true, waits: true },
    aborts: "boolean",
    blocks: "boolean",
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { workerExited: "function" },
  contradiction({ reach, deadHolder, workerExited }) {
    if ((deadHolder === "recovers") !== (workerExited !== undefined))
      return 'deadHolder "recovers" and workerExited go together: give both or neither';
    return (deadHolder === "dies") === (reach === "thread")
      ? undefined
      : 'deadHolder "dies" and reach "thread" go together: give both or neither';
  },
  footprint(keyed) {
    const words = keyed.words({ stripes: 1024, workers: 8 });
    return words === 0
      ? "private memory"
      : `${words * Int32Array.BYTES_PER_ELEMENT} B for 1,024 stripes and 8 workers`;
  },
} satisfies Contract<KeyedCompetitor>;
