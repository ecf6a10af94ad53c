import wheel from "../../timers/competitors/hashed-wheel.ts";
import { NodeTimers } from "../../timers/parts/node-timers.ts";
import type { Deadlines, DeadlinesCompetitor } from "../deadlines.contract.ts";
import { runtimeLoop } from "../parts/runtime-loop.ts";

/**
 * `deadline` of NodeTimers over the hashed wheel: one native timer for all deadlines.
 *
 * Promise: that of the contract, up to 2 ms late: a delay begins with the next whole millisecond, and so does the native
 *   timer's.
 * Progress: wait-free.
 * Threads: one.
 * Cost: a reading of the clock and two stores into lists of the wheel, and the same to cancel.
 * Memory: a controller, an object of six fields and an AsyncResource; 47 bytes in the wheel; the wheel's slots, once.
 * Limits: as many as NodeTimers can grow to. It does not shrink.
 * Bet: a wheel in typed arrays costs less than a list of objects that the collector has to visit.
 * Source: Varghese & Lauck (1987), scheme 6.
 */
export default {
  summary: "deadlines of NodeTimers over the hashed wheel, with one native timer for all",
  source: "Varghese & Lauck (1987), scheme 6",
  progress: "wait-free",
  clock: "given",
  cancels: true,
  lateness: () => 2,

  create(loop = runtimeLoop()): Deadlines {
    const timers = new NodeTimers(wheel, { clock: loop.now, native: loop });
    return { make: (delayMs, caller) => timers.deadline(delayMs, { signal: caller }) };
  },
} satisfies DeadlinesCompetitor;
