import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a rotation that ends one backend early. Tickets are conserved; one backend never gets a request. */
export const breaks = "rotationIsConserved";

export default {
  ...honest,
  summary: "mutant: modulo one less than the number of backends",

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    return { pick: () => rotation[(Atomics.add(memory, NEXT, 1) & 0x7fffffff) % Math.max(1, backends - 1)]! };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
