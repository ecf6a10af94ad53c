import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: takes a worker that has not picked for four changes for one that picks by the last. */
export const breaks = "settledIsTold";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/versioned-table.ts"), [
    "if (latest !== version && latest !== NEVER) return false;",
    "if (((latest ^ version) & 3) !== 0 && latest !== NEVER) return false;",
  ])),
  summary: "mutant: four changes without a pick between are settled at once",
} satisfies PickCompetitor;
