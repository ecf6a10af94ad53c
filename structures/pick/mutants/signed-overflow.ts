import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: the source's own counter, which turns negative after 2^31 picks and then indexes before the array. */
export const breaks = "picksAreInRange";

export default {
  ...(await mutated<PickCompetitor>(
    import.meta.resolve("../competitors/shuffled-round-robin.ts"),
    ["firstTicket % foldAt(backends));", "firstTicket | 0);"],
    ["if (ticket >= fold) foldBack(memory, NEXT, fold);", ""],
  )),
  summary: "mutant: signed counter, raw remainder",
} satisfies PickCompetitor;
