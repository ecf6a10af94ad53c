import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { SLOTS, TICK_MS, watchWithWheel } from "../parts/over-wheel.ts";
import { MendedTimerWheel } from "../parts/timer-wheel.ts";

/**
 * The source document's wheel with two corrections. A task waits for one more tick, so that the wheel's current second
 * does not count. A delay of whole laps no longer takes a lap too many.
 *
 * Promise: early by as much as a tick was later than the next; up to a second late.
 * Progress: wait-free, but for the collector's pauses; a tick is as long as its slot is full.
 * Threads: one; each server process has a wheel of its own.
 * Cost: as source-wheel: two maps out, two maps in, a task and a closure for each message.
 * Memory: as source-wheel.
 * Limits: its second is the event loop's: a tick that comes late makes all later ones late.
 * Bet: it costs what source-wheel does, and closes in the second that the document promises.
 * Source: the document on the timing wheel in Workerman, sections 6, 7 and 9.
 */
export default {
  summary: "the source's wheel, mended: never early, and no lap too many",
  source: "timing wheel in Workerman, sections 6, 7 and 9",
  progress: "wait-free",
  variantOf: "source-wheel",
  renewedBy: "messages",
  earliness: (_timeoutMs, turnMs) => turnMs,
  lateness: () => TICK_MS,
  watch: (setup) =>
    onceCaughtUp(setup, "messages", (inner) =>
      watchWithWheel(new MendedTimerWheel(SLOTS), setup.timeoutMs / TICK_MS + 1, inner),
    ),
} satisfies ConnectionsCompetitor;
