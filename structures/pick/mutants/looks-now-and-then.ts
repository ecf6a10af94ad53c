import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: looks for a change of members at every sixteenth ticket only, and picks drained backends until then. */
export const breaks = "drainedStaysOut";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/versioned-table.ts"), [
    "if (Atomics.load(memory, VERSION) !== version) renew();",
    "if (Atomics.load(memory, NEXT) % 16 === 0 && Atomics.load(memory, VERSION) !== version) renew();",
  ])),
  summary: "mutant: sees a change of members some picks later",
} satisfies PickCompetitor;
