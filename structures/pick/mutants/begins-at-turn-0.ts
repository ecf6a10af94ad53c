import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a static stride whose first turn is the same in every instance. */
export const breaks = "instancesBeginApart";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/static-stride.ts"), [
    "return beginningIn(setup, periodOf(setup)) % foldAt(periodOf(setup));",
    "return setup.firstTicket % foldAt(periodOf(setup));",
  ])),
  summary: "mutant: every instance begins at the first turn",
} satisfies PickCompetitor;
