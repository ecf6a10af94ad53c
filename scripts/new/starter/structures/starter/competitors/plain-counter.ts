import type { Starter, StarterCompetitor } from "../starter.contract.ts";

/**
 * The oracle: a variable that is raised.
 *
 * Promise: the numbers 0, 1, 2, ... in turn.
 * Progress: wait-free.
 * Threads: one; every attach begins at 0.
 * Cost: one addition.
 * Memory: one number.
 * Limits: beyond 2^31 - 1 it is a double, which an engine may keep on its heap.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook.
 */
export default {
  summary: "oracle: a variable that is raised",
  source: "textbook",
  progress: "wait-free",

  attach(): Starter {
    let given = 0;
    return { next: () => given++ };
  },
} satisfies StarterCompetitor;
