import { foldAt, foldBack } from "../../pick/parts/rotation.ts";
import honest from "../competitors/shared-ticket.ts";
import { NEXT } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: a plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then draw the same ticket. */
export const breaks = "evenFilling";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...honest,
  summary: "mutant: plain ++ on the shared ticket",

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
