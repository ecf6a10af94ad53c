import { EventLoopTimers } from "../parts/event-loop.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * Node's own timers: setTimeout, clearTimeout and timeout.refresh().
 *
 * Promise: cancel and refresh answer truly, and what fires is handed over once; order none. A delay is in milliseconds
 *   of the event loop, with its accuracy. It may be up to a millisecond early by a finer clock, because the loop reads
 *   whole ones. It is late by as long as the loop is busy.
 * Progress: wait-free; what Node does behind its API is not counted.
 * Threads: one; every attach is a set of its own, but all sets of a thread share Node's lists.
 * Cost: Node keeps a list in order of deadlines for each different delay, and a heap of these lists. refresh with the
 *   timer's own delay moves it to the end of its list, wherever that is in memory. Another delay clears it and sets a
 *   new one.
 * Memory: a Timeout object with the array of its argument, and two words for its handle, per timer; private.
 * Limits: timers keep their process alive, as Node's do; a caller that is done with a set cancels what is left.
 * Bet: with one delay for all, Node's lists are the right structure. It pays for the object behind each timer and async
 *   hooks, not for the search.
 * Source: Node.js lib/internal/timers.js.
 */
export default {
  summary: "Node's setTimeout, clearTimeout and refresh()",
  source: "Node.js lib/internal/timers.js",
  progress: "wait-free",
  order: "none",
  expiry: "event-loop",
  callers: "one",
  emulates: "the caller's clock by real milliseconds; reports by a list of what has fired",
  lateness: () => Number.POSITIVE_INFINITY,
  words: () => 0,
  format() {},
  attach: (_memory, capacity) => new NodeTimers(capacity),
} satisfies TimersCompetitor;

class NodeTimers extends EventLoopTimers<NodeJS.Timeout> {
  /** By place: the delay that its timeout was set with, which a Timeout does not make public. */
  readonly #delays: Int32Array;

  constructor(capacity: number) {
    super(capacity);
    this.#delays = new Int32Array(capacity);
  }

  protected override start(handle: number, delay: number, place: number): NodeJS.Timeout {
    this.#delays[place] = delay;
    return setTimeout(this.fire, delay, handle);
  }

  protected override stop(timeout: NodeJS.Timeout): void {
    clearTimeout(timeout);
  }

  protected override restart(
    timeout: NodeJS.Timeout,
    handle: number,
    delay: number,
    place: number,
  ): NodeJS.Timeout {
    if (delay === this.#delays[place]) return timeout.refresh();
    clearTimeout(timeout);
    return this.start(handle, delay, place);
  }
}
