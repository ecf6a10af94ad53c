import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a table that is written for changed members is one place short, and the backend in the last place gets no request. */
export const breaks = "sharesFollowWeights";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/versioned-table.ts"), [
    "[rotation.length, ",
    "[rotation.length - (version === 0 ? 0 : 1), ",
  ])),
  summary: "mutant: the last place of a changed table is never picked",
} satisfies PickCompetitor;
