import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Heard, History, historyClaims, inForceAt } from "../parts/history.ts";

/**
 * A log of changes per resource, sorted by when they happened: a late change is entered where it belongs.
 *
 * Promise: the rule `event-time`. Delay and order of arrival heal completely; a lost change never does.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's log knows the changes heard through its own handle.
 * Cost: change O(log entries of the resource), and O(entries) for one that happened before others that arrived first;
 *   lookup O(log entries); trim O(resources + entries forgotten).
 * Memory: one Map entry, one array and one object per change on the heap. Each resource keeps at least the change in
 *   force at the watermark.
 * Limits: none but the heap.
 * Bet: the fair opponent that the source leaves out. It is as exact as ranges while nothing is lost, and answers where
 *   ranges cannot yet; only loss and restarts distinguish them.
 * Source: temporal tables and as-of joins (kdb+ aj, Flink versioned tables).
 */
export default {
  ...historyClaims,
  summary: "changes sorted by when they happened, per resource",
  source: "as-of joins (kdb+ aj)",
  rule: "event-time",

  attach: (_memory, capacity) => new EventTimeLog(capacity),
} satisfies OwnershipCompetitor;

class EventTimeLog extends History {
  /**
   * False for a change that no point in kept time will ever follow. Either another one of the same millisecond outranks
   * it or is the same, or a change in force at the watermark happened after it.
   */
  protected override hear({ resource, owner, at }: Heard): boolean {
    const log = this.logOf(resource);
    if (at < this.watermark) {
      const inForce = log[inForceAt(log, this.watermark)];
      if (inForce !== undefined && at < inForce.at) return false;
    }
    const index = inForceAt(log, at);
    const before = log[index];
    if (before?.at !== at) {
      log.splice(index + 1, 0, { at, owner });
      return true;
    }
    // Of one millisecond only the last in order ever counts, and the greater owner comes last: NOBODY is the least.
    if (owner <= before.owner) return false;
    before.owner = owner;
    return true;
  }
}
