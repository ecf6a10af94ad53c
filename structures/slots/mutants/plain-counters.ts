import { mutated } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts clients by plain `++` and `--`, which lose one of two that meet. */
export const breaks = "conserved";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...(await mutated<SlotsCompetitor>(
    import.meta.resolve("../competitors/least-loaded-counters.ts"),
    ["Atomics.add(memory, found.slot, 1)", "memory[found.slot]!++"],
    ["Atomics.sub(memory, slot, 1)", "memory[slot]!--"],
  )),
  summary: "mutant: plain ++ on the shared counters",
} satisfies SlotsCompetitor;
