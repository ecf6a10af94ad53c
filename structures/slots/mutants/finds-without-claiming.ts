import { foldAt } from "../../pick/parts/rotation.ts";
import honest, { HOLES, VACANT } from "../competitors/ticket-shared-holes.ts";
import { drawTickets } from "../parts/tickets.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/** Mutant: stores plainly that the hole it found is taken, so that two workers may take the same one. */
export const breaks = "conserved";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

/** A copy of the honest attach, but for the line that is marked. */
export default {
  ...honest,
  summary: "mutant: shared holes that are taken without a claim",

  attach(memory, slots, seat) {
    const fold = foldAt(slots);
    let reused = 0;
    let at = staggeredStart(slots, seat);

    function takeHole(): number {
      for (;;) {
        const holes = Atomics.load(memory, HOLES + at);
        if (holes > 0) {
          memory[HOLES + at] = holes - 1; // The lie.
          return at;
        }
        at = at + 1 === slots ? 0 : at + 1;
      }
    }

    return {
      take() {
        let vacant = Atomics.load(memory, VACANT);
        while (vacant > 0) {
          const seen = Atomics.compareExchange(memory, VACANT, vacant, vacant - 1);
          if (seen === vacant) {
            reused++;
            return takeHole();
          }
          vacant = seen;
        }
        return drawTickets(memory, fold, 1) % slots;
      },
      give(slot) {
        Atomics.add(memory, HOLES + slot, 1);
        Atomics.add(memory, VACANT, 1);
        at = slot;
      },
      counters: () => ({ reused }),
    };
  },
} satisfies SlotsCompetitor;
