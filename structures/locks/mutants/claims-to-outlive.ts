import honest from "../competitors/test-and-test-and-set.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: claims that the lock is free once its holder was terminated, and knows nothing of holders. */
export const breaks = "deadHolderIsAsClaimed";

export default {
  ...honest,
  summary: "mutant: a word that stays taken, and is said to be released by a dead holder",
  deadHolder: "releases",
} satisfies LockCompetitor;
