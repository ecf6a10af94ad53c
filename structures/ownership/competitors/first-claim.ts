import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { policyClaims, policyReplica } from "../parts/policy.ts";
import { overlay } from "../parts/ranges.ts";

/**
 * Sorted arrays of ranges in which a claim fills only unclaimed time. Where two owners claim a point, the first one
 * heard keeps it.
 *
 * Promise: the rule `first-claim`: an answer never changes once given, and it depends on the order of arrival.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(1) at or after the end of the last range, else O(ranges of the resource); lookup O(log ranges);
 *   trim O(resources + ranges forgotten).
 * Memory: one Map entry, one array and one object per range on the heap; the last range of a resource stays for good.
 * Limits: none but the heap.
 * Bet: it answers wherever `evidence` reports a conflict, and each wrong answer stays wrong. Replicas that heard the
 *   same claims in another order disagree for good.
 * Source: put-if-absent, over time.
 */
export default {
  ...policyClaims,
  summary: "sorted arrays of ranges; a claim fills only what is unclaimed",
  source: "put-if-absent, over time",
  rule: "first-claim",

  attach: (_memory, capacity) =>
    policyReplica(capacity, (ranges, claim) => overlay(ranges, claim, (held) => held)),
} satisfies OwnershipCompetitor;
