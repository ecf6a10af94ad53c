import TinyQueue from "tinyqueue";
import { HOLDBACK_MS, type OwnershipCompetitor } from "../ownership.contract.ts";
import { type Heard, History, historyClaims } from "../parts/history.ts";

/**
 * A log of changes per resource behind a waiting room. A change is entered once it is HOLDBACK_MS old, so earlier
 * changes that arrive by then still go before it.
 *
 * Promise: the rule `holdback`. The clock is that of arrivals: what is due is entered when the next change arrives, of
 *   whatever resource. One that comes too late takes effect where the log of its resource then ends.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's log knows the changes heard through its own handle.
 * Cost: change O(log waiting) for its own way in and out, never refused; one call lets out all that has come due.
 *   Lookup O(log entries of the resource); trim O(resources + entries forgotten).
 * Memory: one object per waiting change in one heap for all resources. Entered: one Map entry, one array and one object
 *   per change. Each resource keeps at least the change in force at the watermark.
 * Limits: none but the heap.
 * Bet: it pays for order with freshness. In the end it is right about what is late by less than the holdback; until
 *   then it is behind by as much about everything.
 * Source: how Netflix attributed flows before FlowCollector heard heartbeats (2025); the queue is npm tinyqueue 3.0.0.
 */
export default {
  ...historyClaims,
  summary: "changes sorted by when they happened while they wait out a holdback",
  source: "Netflix, before heartbeats; npm tinyqueue 3.0.0",
  rule: "holdback",

  attach: (_memory, capacity) => new HoldbackLog(capacity),
} satisfies OwnershipCompetitor;

class HoldbackLog extends History {
  readonly #waiting = new TinyQueue<Heard>([], byEventTime);

  /** Always true: even the latest comer is entered. */
  protected override hear(change: Heard): boolean {
    this.#waiting.push(change);
    const horizon = change.arrivedAt - HOLDBACK_MS;
    for (
      let deadline = this.#waiting.peek();
      deadline !== undefined && deadline.at <= horizon;
      deadline = this.#waiting.peek()
    ) {
      this.#waiting.pop();
      const log = this.logOf(deadline.resource);
      log.push({ at: Math.max(deadline.at, log.at(-1)?.at ?? 0), owner: deadline.owner });
    }
    return true;
  }
}

/** Of two at the same millisecond the greater owner comes last: an assignment after the release that made room for it. */
function byEventTime(a: Heard, b: Heard): number {
  return a.at - b.at || a.owner - b.owner;
}
