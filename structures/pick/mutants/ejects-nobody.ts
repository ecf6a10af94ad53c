import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: hears of no failure, so that a backend that fails at once is the least loaded. */
export const breaks = "failingAreSpared";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/ejecting.ts",
    import.meta.resolve("../competitors/two-choices-ejecting.ts"),
    ["ejections.tell(backend, failed === true);", ""],
  )),
  summary: "mutant: failures count for nothing",
} satisfies PickCompetitor;
