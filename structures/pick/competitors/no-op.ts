import type { PickCompetitor } from "../pick.contract.ts";

/**
 * No picker at all: the floor that shows what the loop and the call of a race cost.
 *
 * Promise: answers 0, which is a backend, and does nothing.
 * Progress: wait-free.
 * Threads: any.
 * Cost: a call that the engine inlines.
 * Memory: none.
 * Limits: serves nobody.
 * Bet: the loop around a pick costs less than any picker that keeps its promise, so that rows tell pickers apart.
 * Source: every benchmark's empty loop.
 */
export default {
  summary: "lower bound: answers 0, so that the cost of loop and call is seen",
  source: "every benchmark's empty loop",
  progress: "wait-free",
  floor: true,
  order: "none",
  breaksPatterns: false,
  tickets: "none",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: false,

  words: () => 0,
  format() {},
  attach: () => ({ pick: () => 0 }),
  inspect: () => ({}),
} satisfies PickCompetitor;
