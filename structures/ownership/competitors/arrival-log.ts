import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Heard, History, historyClaims } from "../parts/history.ts";

/**
 * A log of changes per resource in the order of arrival: a change holds from the moment it is heard of.
 *
 * Promise: the rule `arrival`. What is late holds too late, what is overtaken is undone, and neither heals.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's log knows the changes heard through its own handle.
 * Cost: change O(1), never refused; lookup O(log entries of the resource); trim O(resources + entries forgotten).
 * Memory: one Map entry, one array and one object per change on the heap. Each resource keeps at least the change in
 *   force at the watermark.
 * Limits: none but the heap.
 * Bet: the simplest thing there is, and the cheapest to keep; wrong for as long as news travels.
 * Source: the discrete events that the source document replaces.
 */
export default {
  ...historyClaims,
  summary: "changes in the order of arrival, per resource",
  source: "the discrete events the source document replaces",
  rule: "arrival",

  attach: (_memory, capacity) => new ArrivalLog(capacity),
} satisfies OwnershipCompetitor;

class ArrivalLog extends History {
  /** Always true: whatever arrives last is what this rule knows best. */
  protected override hear({ resource, owner, arrivedAt }: Heard): boolean {
    this.logOf(resource).push({ at: arrivedAt, owner });
    return true;
  }
}
