import * as threads from "node:worker_threads";
import { randomSeed } from "../../shared/worker-identity.ts";
import type { Keyed, KeyedCompetitor } from "../keyed.contract.ts";

/**
 * The Web Locks API as Node has it for the threads of a process.
 *
 * Promise: of two bodies for one key one runs at a time, whichever workers they are of. All requests for a key run in their
 *   order, those of all workers.
 * Progress: blocking.
 * Threads: any of the process. Never blocks one.
 * Cost: a request goes from JavaScript to the process's list of locks, under one mutex, and its promises come back through
 *   the event loop of the thread.
 * Memory: a name for each instance; the locks are objects of the runtime.
 * Limits: Node 24.5 and later, and Deno; Bun has no such export. A request that waits does not keep its thread alive: a program
 *   that only waits for one ends. No requestSync and no mending: a thread that is
 *   terminated inside a body releases its keys, with the data as they are. A request inside the body of another for the same
 *   key waits for itself for ever.
 * Bet: one list for the whole process is no bottleneck for bodies that wait for something else anyway.
 * Source: Web Locks API (W3C); Node.js lib/internal/locks.js and src/node_locks.cc.
 */
export default {
  summary: "Node's Web Locks API for the threads of a process",
  source: "Web Locks API; Node.js lib/internal/locks.js",
  progress: "blocking",
  reach: "workers",
  order: "arrival",
  deadHolder: "releases",
  nested: "waits",
  aborts: true,
  blocks: false,

  unavailable: () => (locks === undefined ? "it needs the worker_threads.locks of Node 24.5" : undefined),

  words: () => 1,
  /** A number of its own, so that two instances have different keys. */
  format(memory) {
    memory[NAME] = randomSeed();
  },

  attach(memory): Keyed {
    const name = `hotpath-lab/${memory[NAME]}/`;
    return {
      request: (key, { signal, ifAvailable = false }, body) =>
        locks!.request(`${name}${typeof key}/${key}`, { ifAvailable, ...(signal && { signal }) }, (lock) =>
          body(lock && { name: key, mode: "exclusive" }),
        ) as Promise<never>,
    };
  },
} satisfies KeyedCompetitor;

const NAME = 0;

const { locks } = threads as { locks?: typeof threads.locks };
