import { foldAt, foldBack } from "../../pick/pick.lap.ts";
import honest from "../shared-ticket.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import { NEXT } from "../slots.tickets.ts";

/** Liar: a plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then draw the same ticket. */
export const breaks = "evenFilling";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...honest,
  summary: "liar: plain ++ on the shared ticket",

  attach(memory, slots) {
    const fold = foldAt(slots);
    return {
      take() {
        const ticket = memory[NEXT]!++;
        if (ticket >= fold) foldBack(memory, NEXT, fold);
        return ticket % slots;
      },
      give() {},
    };
  },
} satisfies SlotsCompetitor;
