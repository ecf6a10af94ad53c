import honest from "../competitors/versioned-table.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: says that a change is settled while workers may still pick by the members of before. */
export const breaks = "settledIsTold";

export default {
  ...honest,
  summary: "mutant: every change is settled at once",
  members: (memory, setup) => ({ ...honest.members(memory, setup), isSettled: () => true }),
} satisfies PickCompetitor;
