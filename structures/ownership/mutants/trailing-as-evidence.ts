import trailingRule from "../competitors/trailing-rule.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/** The source document's rule with the source document's promise: that heartbeats may arrive in any order. */
export default {
  ...trailingRule,
  summary: "mutant: the trailing rule, presented as evidence",
  rule: "evidence",
} satisfies OwnershipCompetitor;

export const breaks = "orderDoesNotMatter";
