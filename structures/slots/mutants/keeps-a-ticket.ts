import { foldAt } from "../../pick/parts/rotation.ts";
import honest from "../competitors/leased-tickets-16.ts";
import { drawTickets } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: draws sixteen tickets and uses fifteen of them, so that every sixteenth place stays empty. */
export const breaks = "conserved";

export default {
  ...honest,
  summary: "mutant: leases that lose their last ticket",

  attach(memory, slots) {
    const fold = foldAt(slots);
    let next = 0;
    let held = 0;
    return {
      take() {
        if (held === 0) {
          next = drawTickets(memory, fold, 16);
          held = 15;
        }
        held--;
        return next++ % slots;
      },
      give() {},
      counters: () => ({ held }),
    };
  },
} satisfies SlotsCompetitor;
