import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: where an ejected backend comes up several times in a row, it is picked although another is not ejected. */
export const breaks = "ejectedAreSpared";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/ejecting.ts",
    import.meta.resolve("../competitors/two-choices-ejecting.ts"),
    ["return picker.take === undefined ? picked : drawn(picked, nowMs);", "return picked;"],
  )),
  summary: "mutant: gives up where ejected backends come up again and again",
} satisfies PickCompetitor;
