import { SLOTS, SourceWheel, TICKS_PER_SECOND } from "../parts/source-wheel.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The timing wheel of the source document without its off-by-one: a delay of a whole rotation takes no turn too many.
 *
 * Promise: everything the contract asks; order none; up to 999 ticks late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: that of source-wheel.
 * Memory: that of source-wheel.
 * Limits: a second is the finest it knows; a tick visits a sixtieth of all timers.
 * Bet: the mend costs nothing, so the source's wheel had no reason to be a rotation late.
 * Source: the source document's PHP class TimerWheel, its turns counted from the second before.
 */
export default {
  ...privateToThread,
  summary: "the source document's wheel with its off-by-one mended",
  source: "source document, PHP class TimerWheel, mended",
  variantOf: "source-wheel",
  order: "none",
  emulates: "callbacks by ids written down; a budget by one slot more for what it leaves over",
  lateness: () => TICKS_PER_SECOND - 1,
  attach: (_memory, capacity) => new SourceWheel(capacity, (delay) => Math.floor((delay - 1) / SLOTS)),
} satisfies TimersCompetitor;
