import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: served requests make up for no failed one, so that every backend is ejected sooner or later. */
export const breaks = "outcomesDecide";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/ejecting.ts",
    import.meta.resolve("../competitors/two-choices-ejecting.ts"),
    ["return record > 0 ? record - 1 : 0;", "return record > 0 ? record : 0;"],
  )),
  summary: "mutant: counts failures and nothing else",
} satisfies PickCompetitor;
