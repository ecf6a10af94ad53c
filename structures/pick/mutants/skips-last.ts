import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a rotation that ends one backend early. Tickets are conserved; one backend never gets a request. */
export const breaks = "rotationIsConserved";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/shuffled-round-robin.ts"), [
    "ticket % backends",
    "ticket % Math.max(1, backends - 1)",
  ])),
  summary: "mutant: modulo one less than the number of backends",
} satisfies PickCompetitor;
