import type { OwnershipCompetitor, Range } from "../ownership.contract.ts";
import { policyClaims, policyReplica } from "../parts/policy.ts";

/**
 * The source document's own words: a heartbeat of the current owner extends the trailing range. A heartbeat of another
 * owner starts a new range, and the previous one is frozen where it then ended.
 *
 * Promise: the rule `trailing`: order matters, and so does loss. Where B's claims are lost between two of A, or are
 *   heard after both, A has B's time.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(1), whatever came before; lookup O(log ranges of the resource); trim O(resources + ranges forgotten).
 * Memory: one Map entry, one array and one object per range on the heap; the last range of a resource stays for good.
 * Limits: none but the heap. It never infers, for no two ranges that follow each other have the same owner.
 * Bet: no cheaper than keeping the evidence where claims come in order, and wrong where they do not. It fills gaps
 *   unasked, and does not report it.
 * Source: concept "Heartbeat-based ownership", its third invariant. The document also says that heartbeats can arrive
 *   out of order, which this rule contradicts.
 */
export default {
  ...policyClaims,
  summary: "the source's words: extend the trailing range, or start a new one",
  source: "the source document's third invariant",
  rule: "trailing",

  attach: (_memory, capacity) => policyReplica(capacity, prolongOrBegin),
} satisfies OwnershipCompetitor;

function prolongOrBegin(ranges: Range[], claim: Range): void {
  const trailing = ranges[ranges.length - 1]!;
  if (claim.owner === trailing.owner) trailing.end = Math.max(trailing.end, claim.end);
  else if (claim.end > trailing.end) ranges.push({ ...claim, start: Math.max(claim.start, trailing.end) });
}
