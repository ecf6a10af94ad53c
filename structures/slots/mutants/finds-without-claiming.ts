import { mutated } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: stores plainly that the hole it found is taken, so that two workers may take the same one. */
export const breaks = "conserved";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...(await mutated<SlotsCompetitor>(import.meta.resolve("../competitors/ticket-shared-holes.ts"), [
    "Atomics.compareExchange(memory, HOLES + slot, holes, holes - 1);",
    "holes; memory[HOLES + slot] = holes - 1;",
  ])),
  summary: "mutant: shared holes that are taken without a claim",
} satisfies SlotsCompetitor;
