import { mutatedIn } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: a stack, from which clients that come after an outage fill up the slots that were given last. */
export const breaks = "noWorseThanChance";

export default {
  ...(await mutatedIn<SlotsCompetitor>(
    "slots/parts/free-slots.ts",
    import.meta.resolve("../competitors/ticket-private-free-list.ts"),
    ["if (last === 0) return;", "return;"],
  )),
  summary: "mutant: a private stack of slots given back",
} satisfies SlotsCompetitor;
