import { mutated } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: draws sixteen tickets and uses fifteen of them, so that every sixteenth place stays empty. */
export const breaks = "conserved";

export default {
  ...(await mutated<SlotsCompetitor>(import.meta.resolve("../competitors/leased-tickets-16.ts"), [
    "held = size;",
    "held = Math.max(1, size - 1);",
  ])),
  summary: "mutant: leases that lose their last ticket",
} satisfies SlotsCompetitor;
