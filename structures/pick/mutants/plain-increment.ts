import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then read the same ticket. */
export const breaks = "ticketsAreConserved";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/shuffled-round-robin.ts"), [
    "Atomics.add(memory, NEXT, 1)",
    "memory[NEXT]!++",
  ])),
  summary: "mutant: plain ++ on the shared index",
} satisfies PickCompetitor;
