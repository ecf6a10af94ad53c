import { foldAt } from "../../pick/pick.lap.ts";
import honest from "../shared-ticket.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Liar: a plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then draw the same ticket. */
export const breaks = "evenFilling";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...honest,
  summary: "liar: plain ++ on the shared ticket",

  attach(memory, slots) {
    const fold = foldAt(slots);
    return { take: () => (memory[NEXT]!++ % fold) % slots, give() {} };
  },
} satisfies SlotsCompetitor;

const NEXT = 0;
