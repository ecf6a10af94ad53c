import retimer from "retimer";
import { EventLoopTimers } from "../parts/event-loop.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package retimer: a Node timeout that is left running when it is postponed, and set again for the rest when it
 * fires too soon.
 *
 * Promise: that of node-set-timeout.
 * Progress: wait-free; what Node does behind its API is not counted.
 * Threads: one; every attach is a set of its own, but all sets of a thread share Node's lists.
 * Cost: moving a timer to later reads the time and stores two numbers; moving it to sooner clears a timeout and sets
 *   a new one. A timer that was moved fires once for nothing each time its delay has passed.
 * Memory: an object, a closure and an array of arguments per timer beside Node's Timeout; private.
 * Limits: that of node-set-timeout. Busy loops make it ask Node for negative delays, which Node warns about.
 * Bet: leaving the timeout alone saves less than reading the time costs.
 * Source: npm retimer 4.0.0 (M. Collina).
 */
export default {
  summary: "retimer: Node's timeouts, left running when moved to later",
  source: "npm retimer",
  variantOf: "node-set-timeout",
  progress: "wait-free",
  order: "none",
  expiry: "event-loop",
  callers: "one",
  emulates: "the caller's clock by real milliseconds; reports by a list of what has fired",
  lateness: () => Number.POSITIVE_INFINITY,
  words: () => 0,
  format() {},
  attach: (_memory, capacity) => new Retimers(capacity),
} satisfies TimersCompetitor;

type Retimer = ReturnType<typeof retimer>;

class Retimers extends EventLoopTimers<Retimer> {
  protected override start(handle: number, delay: number): Retimer {
    return retimer(this.fire, delay, handle);
  }

  protected override stop(timer: Retimer): void {
    timer.clear();
  }

  protected override restart(timer: Retimer, _handle: number, delay: number): Retimer {
    timer.reschedule(delay);
    return timer;
  }
}
