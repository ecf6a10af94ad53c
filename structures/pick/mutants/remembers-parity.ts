import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: tells versions apart by which table they are in, so that two changes without a pick between go unseen. */
export const breaks = "drainedStaysOut";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/versioned-table.ts"), [
    "if (Atomics.load(memory, VERSION) !== version) renew();",
    "if ((Atomics.load(memory, VERSION) & 1) !== (version & 1)) renew();",
  ])),
  summary: "mutant: takes every second version for the one it knows",
} satisfies PickCompetitor;
