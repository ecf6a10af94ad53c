import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: frees the lock of a dead holder as if it had been unlocked. The next takes halfway changes for whole ones. */
export const breaks = "ownerDeathIsToldOnce";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/robust-futex.ts"), [
    "(state & ~HOLDER) | OWNER_DIED",
    "FREE",
  ])),
  summary: "mutant: robust futex that tells nobody that a holder died",
} satisfies LockCompetitor;
