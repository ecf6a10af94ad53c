import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: an unlock that does not look whether the data were marked consistent. The next holder is not told. */
export const breaks = "inconsistentDataAreNotPassedOn";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/robust-futex.ts"), [
    "(found & OWNER_DIED) === 0 ? FREE : UNUSABLE",
    "FREE",
  ])),
  summary: "mutant: robust futex that forgets a death at the next unlock",
} satisfies LockCompetitor;
