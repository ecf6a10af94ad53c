import arrivalLog from "../competitors/arrival-log.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/** Takes the moment a change was heard of for the moment it happened. */
export default {
  ...arrivalLog,
  summary: "mutant: the order of arrival, presented as that of happening",
  rule: "event-time",
} satisfies OwnershipCompetitor;

export const breaks = "answersFollowChanges";
