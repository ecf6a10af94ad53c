import lastClaim from "../../../../structures/ownership/competitors/last-claim.ts";
import type { OwnershipCompetitor } from "../../../../structures/ownership/ownership.contract.ts";

/** Takes the claim that it heard last for right: replayed in another order, the same claims make another map. */
export default {
  ...lastClaim,
  summary: "liar: believes the claim that came last",
} satisfies OwnershipCompetitor;

export const breaks = "collectorsAgree";
