import { foldAt } from "../../pick/pick.lap.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import { drawTickets } from "../slots.tickets.ts";
import honest from "../ticket-shared-holes.ts";

/** Liar: takes a hole that it sees with a plain `--`, so that two workers may take the same one. */
export const breaks = "conserved";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...honest,
  summary: "liar: shared holes that are taken without a claim",

  attach(memory, slots, seat) {
    const { give } = honest.attach(memory, slots, seat);
    const fold = foldAt(slots);
    let reused = 0;
    return {
      give,
      take() {
        for (let slot = 0; slot < slots; slot++) {
          if (memory[HOLES + slot]! > 0) {
            memory[HOLES + slot]!--;
            reused++;
            return slot;
          }
        }
        return drawTickets(memory, fold, 1) % slots;
      },
      counters: () => ({ reused }),
    };
  },
} satisfies SlotsCompetitor;

const HOLES = 2 * STRIDE_WORDS;
