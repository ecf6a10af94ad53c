import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a backend that was ejected is never tried again. */
export const breaks = "ejectedAreTried";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/ejecting.ts",
    import.meta.resolve("../competitors/two-choices-ejecting.ts"),
    ["return ((pastMs + MOST_UNTIL) & (MOST_UNTIL - 1)) < MOST_UNTIL / 2;", "return false;"],
  )),
  summary: "mutant: ejects backends for good",
} satisfies PickCompetitor;
