import { mutated } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: takes all holes of one slot before it looks at another. */
export const breaks = "noWorseThanChance";

export default {
  ...(await mutated<SlotsCompetitor>(import.meta.resolve("../competitors/ticket-shared-holes.ts"), [
    "if (seen === holes) return slot;",
    "if (seen === holes) return (at = slot);",
  ])),
  summary: "mutant: shared holes that are taken slot by slot",
} satisfies SlotsCompetitor;
