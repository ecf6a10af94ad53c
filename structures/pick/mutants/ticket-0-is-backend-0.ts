import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a plain order that begins at its first backend in every instance. */
export const breaks = "instancesBeginApart";

export default {
  ...(await mutated<PickCompetitor>(
    import.meta.resolve("../competitors/round-robin-without-array.ts"),
    ["firstTicket: beginningIn(setup, setup.backends)", "firstTicket: setup.firstTicket"],
    ["const first = beginningIn(setup, backends);", "const first = firstTicket;"],
  )),
  summary: "mutant: plain order from backend 0 on",
} satisfies PickCompetitor;
