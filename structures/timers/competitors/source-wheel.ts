import { SLOTS, SourceWheel, TICKS_PER_SECOND } from "../parts/source-wheel.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The timing wheel of the source document as it stands: 60 one-second slots, each a map of task objects with a count of
 * turns. Another map finds a task's slot.
 *
 * Promise: everything the contract asks; order none; up to 999 ticks late. Where the delay comes to a multiple of 60
 *   seconds, it is a whole rotation of 60,000 later. The source counts a turn for the rotation that the slot itself
 *   stands for.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add makes an object and writes two maps. cancel reads one map and deletes from both. refresh, as in the
 *   source's onMessage, does both. A tick of a second visits every task of its slot, also of later rotations.
 * Memory: an object and two map entries per timer, private; the maps grow and shrink with what is live.
 * Limits: a second is the finest it knows. The source says that a tick costs the same whatever the number of timers;
 *   it costs a visit to a sixtieth of them.
 * Bet: the source's saving in processor time and memory against a heap does not outlive its maps. An indexed heap in
 *   typed arrays is faster and smaller.
 * Source: the source document's PHP class TimerWheel (workerman heartbeats).
 */
export default {
  ...privateToThread,
  summary:
    "the source document's wheel: 60 one-second slots, a map of task objects in each, turns counted down",
  source: "source document, PHP class TimerWheel",
  order: "none",
  emulates: "callbacks by ids written down; a budget by one slot more for what it leaves over",

  // The seconds of a delay depend on how far into a second it is set: at its start, or just before its end.
  lateness(delay) {
    const fewest = Math.ceil(delay / TICKS_PER_SECOND);
    const most = Math.ceil((delay + TICKS_PER_SECOND - 1) / TICKS_PER_SECOND);
    const isRotationLate = fewest % SLOTS === 0 || most % SLOTS === 0;
    return TICKS_PER_SECOND - 1 + (isRotationLate ? SLOTS * TICKS_PER_SECOND : 0);
  },

  attach: (_memory, capacity) => new SourceWheel(capacity, (delay) => Math.floor(delay / SLOTS)),
} satisfies TimersCompetitor;
