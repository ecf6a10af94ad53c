import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { policyClaims, policyReplica } from "../parts/policy.ts";
import { overlay } from "../parts/ranges.ts";

/**
 * Sorted arrays of ranges in which a claim overwrites what it covers: where two owners claim a point, the last one
 * heard has it.
 *
 * Promise: the rule `last-claim`: the answer depends on the order of arrival, and a late repetition turns it back.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(1) at or after the end of the last range, else O(ranges of the resource); lookup O(log ranges);
 *   trim O(resources + ranges forgotten).
 * Memory: one Map entry, one array and one object per range on the heap; the last range of a resource stays for good.
 * Limits: none but the heap.
 * Bet: it answers wherever `evidence` reports a conflict, and is wrong about as often as a delayed claim overtakes a
 *   newer one. Unlike `first-claim` it can also recover.
 * Source: last writer wins, as a range map's put has it (Guava TreeRangeMap.put).
 */
export default {
  ...policyClaims,
  summary: "sorted arrays of ranges; a claim overwrites what it covers",
  source: "Guava TreeRangeMap.put",
  rule: "last-claim",

  attach: (_memory, capacity) =>
    policyReplica(capacity, (ranges, claim) => overlay(ranges, claim, (_held, claimed) => claimed)),
} satisfies OwnershipCompetitor;
