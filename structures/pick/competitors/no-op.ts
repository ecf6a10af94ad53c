import { sharesNothing } from "../parts/traits.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * No picker at all: the lower bound that shows what the loop and the call of a race cost.
 *
 * Promise: answers 0, which is a backend, and does nothing.
 * Progress: wait-free.
 * Threads: any.
 * Cost: a call that the engine inlines.
 * Memory: none.
 * Limits: of no use as a picker.
 * Bet: the loop around a pick costs less than any picker that keeps its promise, so that rows distinguish pickers.
 * Source: every benchmark's empty loop.
 */
export default {
  ...sharesNothing,
  summary: "lower bound: answers 0, so that the cost of loop and call is seen",
  source: "every benchmark's empty loop",
  lowerBound: true,
  order: "none",
  breaksPatterns: false,
  attach: () => ({ pick: () => 0 }),
  inspect: () => ({}),
} satisfies PickCompetitor;
