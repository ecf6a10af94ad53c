import pLimit from "p-limit";
import type { KeyedCompetitor } from "../keyed.contract.ts";
import { queues } from "../parts/queues.ts";

/**
 * A queue of the package p-limit, of one at a time, for each key in use.
 *
 * Promise: of two bodies for one key one runs at a time, in their order, within one thread.
 * Progress: blocking.
 * Threads: one. Every attach has keys of its own.
 * Cost: two looks at a map, a queue and some promises for each request.
 * Memory: a queue for each key that is held or waited for; private.
 * Limits: those of npm-async-mutex.
 * Bet: a limit of one is a mutex, and many programs have the package anyway.
 * Source: npm p-limit 7.3.3 (S. Sorhus).
 */
export default {
  summary: "p-limit: a queue of one at a time for each key, in one thread",
  source: "npm p-limit",
  ...queues(() => {
    const limit = pLimit(1);
    return (work) => limit(work);
  }),
} satisfies KeyedCompetitor;
