import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: an Atomics.load and an Atomics.store where one `Atomics.add` belongs. Every access is atomic, the pick is not:
 * another worker's may come between, and is then undone.
 */
export const breaks = "ticketsAreConserved";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/shuffled-round-robin.ts"), [
    "Atomics.add(memory, NEXT, 1);",
    "Atomics.load(memory, NEXT); Atomics.store(memory, NEXT, ticket + 1);",
  ])),
  summary: "mutant: atomic load, then atomic store",
} satisfies PickCompetitor;
