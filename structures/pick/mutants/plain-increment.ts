import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then read the same ticket. */
export const breaks = "ticketsAreConserved";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...honest,
  summary: "mutant: plain ++ on the shared index",

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    return { pick: () => rotation[(memory[NEXT]!++ & 0x7fffffff) % backends]! };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
