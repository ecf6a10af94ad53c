import { assertSetup, type SlotsCompetitor } from "../slots.contract.ts";

/** Words, format and inspect of allocators that share nothing. */
export const nothingShared = {
  words(slots, workers) {
    assertSetup(slots, workers);
    return 0;
  },
  format(_memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
  },
  inspect: () => ({}),
} satisfies Pick<SlotsCompetitor, "words" | "format" | "inspect">;
