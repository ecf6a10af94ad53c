import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a lap that ends one backend early. Tickets are conserved; one backend never gets a request. */
export const breaks = "lapIsConserved";

export default {
  ...honest,
  summary: "mutant: modulo one less than the number of backends",

  attach(memory, { backends }) {
    const lap = memory.subarray(LAP, LAP + backends);
    return { pick: () => lap[(Atomics.add(memory, NEXT, 1) & 0x7fffffff) % Math.max(1, backends - 1)]! };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const LAP = STRIDE_WORDS;
