import honest from "../competitors/least-loaded-counters.ts";
import { LeastLoadedSearch } from "../parts/counters.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/** Mutant: counts clients by plain `++` and `--`, which lose one of two that meet. */
export const breaks = "conserved";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...honest,
  summary: "mutant: plain ++ on the shared counters",

  attach(memory, slots, seat) {
    const found = new LeastLoadedSearch(memory, slots, staggeredStart(slots, seat));
    return {
      take() {
        found.search();
        memory[found.slot]!++;
        return found.slot;
      },
      give(slot) {
        memory[slot]!--;
      },
    };
  },
} satisfies SlotsCompetitor;
