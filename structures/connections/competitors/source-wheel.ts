import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { SLOTS, TICK_MS, watchWithWheel } from "../parts/over-wheel.ts";
import { TimerWheel } from "../parts/timer-wheel.ts";

/**
 * The source document's wheel and server as they are written: 60 slots of a second, a map for each, and one tick a
 * second. Each message removes a task and adds it again.
 *
 * Promise: up to a second early, because the wheel's current second counts as a whole one. Never late, except for a
 *   timeout of whole laps of the wheel, which takes one lap more.
 * Progress: wait-free, but for the collector's pauses; a tick is as long as its slot is full.
 * Threads: one; each server process has a wheel of its own.
 * Cost: a message deletes from two maps, makes a task and a closure, and enters them into two maps. Each second a tick
 *   walks one slot.
 * Memory: two entries of maps, a task and a closure for each connection; and the garbage of each message.
 * Limits: a timeout of 60 s, or of any whole number of laps, is closed after 60 s more.
 * Bet: it costs a server more than a store and a scan do, and the document's 60 % are not seen where sockets are paid for.
 * Source: the document on the timing wheel in Workerman, sections 6 and 7.
 */
export default {
  summary: "the source's wheel and server as written: a task is removed and added by each message",
  source: "timing wheel in Workerman, sections 6 and 7",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: (_timeoutMs, turnMs) => TICK_MS + turnMs,
  lateness: (timeoutMs) => (timeoutMs % (SLOTS * TICK_MS) === 0 ? SLOTS * TICK_MS : 0),
  watch: (setup) =>
    onceCaughtUp(setup, "messages", (inner) =>
      watchWithWheel(new TimerWheel(SLOTS), setup.timeoutMs / TICK_MS, inner),
    ),
} satisfies ConnectionsCompetitor;
