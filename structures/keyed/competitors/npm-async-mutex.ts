import { Mutex } from "async-mutex";
import type { KeyedCompetitor } from "../keyed.contract.ts";
import { queues } from "../parts/queues.ts";

/**
 * A mutex of the package async-mutex for each key in use.
 *
 * Promise: of two bodies for one key one runs at a time, in their order, within one thread.
 * Progress: blocking.
 * Threads: one. Every attach has keys of its own.
 * Cost: two looks at a map, an object and some promises for each request.
 * Memory: a mutex for each key that is held or waited for; private.
 * Limits: it does not know of other workers. A request cannot be taken back. Inside the body of another for the same key
 *   one waits for itself for ever.
 * Bet: most programs have one thread.
 * Source: npm async-mutex 0.5.0 (C. Speckner).
 */
export default {
  summary: "async-mutex: a mutex for each key, in one thread",
  source: "npm async-mutex",
  ...queues(() => {
    const mutex = new Mutex();
    return (work) => mutex.runExclusive(async () => work());
  }),
} satisfies KeyedCompetitor;
