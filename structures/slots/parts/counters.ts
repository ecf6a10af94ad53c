import { wholeStrides } from "../../shared/layout.ts";
import { assertSetup, type SlotsCompetitor } from "../slots.contract.ts";

/**
 * A counter of clients for each slot. The counters stand next to each other, not each on a line of its own: sixteen to
 * a line are a sixteenth of the lines.
 *
 *     word slot   clients of this slot   every worker: written atomically, read plainly
 */
export const countersOnly = {
  words(slots, workers) {
    assertSetup(slots, workers);
    return wholeStrides(slots);
  },
  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    for (let slot = 0; slot < slots; slot++) Atomics.store(memory, slot, 0);
  },
  inspect: (memory, slots) => ({
    loads: Array.from({ length: slots }, (_, slot) => Atomics.load(memory, slot)),
  }),
} satisfies Pick<SlotsCompetitor, "words" | "format" | "inspect">;
