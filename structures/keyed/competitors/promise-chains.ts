import type { KeyedCompetitor } from "../keyed.contract.ts";
import { queues } from "../parts/queues.ts";

/**
 * The oracle: a map from a key to the promise of its last request, which the next one waits for.
 *
 * Promise: of two bodies for one key one runs at a time, in their order, within one thread.
 * Progress: blocking.
 * Threads: one. Every attach has keys of its own.
 * Cost: two looks at a map and some promises for each request.
 * Memory: a promise for each key that is held or waited for; private.
 * Limits: those of npm-async-mutex.
 * Bet: none; it is here because it is obviously right, and because people write it.
 * Source: the textbook.
 */
export default {
  summary: "oracle: each request for a key waits for the promise of the one before, in one thread",
  source: "textbook",
  ...queues(() => {
    let last: Promise<unknown> = Promise.resolve();
    return (work) => {
      const mine = last.then(() => work());
      last = mine.catch(() => {});
      return mine;
    };
  }),
} satisfies KeyedCompetitor;
