import type { Starter, StarterCompetitor } from "../starter.contract.ts";

/**
 * An element of a typed array that is raised.
 *
 * Promise: the numbers 0, 1, 2, ... in turn.
 * Progress: wait-free.
 * Threads: one; every attach begins at 0.
 * Cost: a load, an addition and a store.
 * Memory: eight bytes, and the array that has them.
 * Limits: beyond 2^53 the next double is no other number.
 * Bet: an element is always a double, so that no number moves to the engine's heap as the oracle's may.
 * Source: the textbook.
 */
export default {
  summary: "an element of a typed array that is raised",
  source: "textbook",
  progress: "wait-free",

  attach(): Starter {
    const given = new Float64Array(1);
    return { next: () => given[0]!++ };
  },
} satisfies StarterCompetitor;
