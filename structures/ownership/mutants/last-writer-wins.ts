import { assertEvidence, type OwnershipCompetitor } from "../ownership.contract.ts";
import { policyClaims, policyReplica } from "../parts/policy.ts";
import { overlay } from "../parts/ranges.ts";

/**
 * Lets the later claim overwrite the earlier one, so that where two owners claim a point the answer is the owner that was
 * heard last: wrong half the time, and different from replica to replica.
 */
export default {
  ...policyClaims,
  summary: "mutant: where two owners claim a point, the last to arrive has it",
  source: "a cache of the latest assignment",
  rule: "evidence",

  attach: (_memory, capacity) =>
    policyReplica(
      capacity,
      (ranges, claim) => overlay(ranges, claim, (_held, claimed) => claimed),
      assertEvidence,
    ),
} satisfies OwnershipCompetitor;

export const breaks = "evidenceOnlyGrows";
