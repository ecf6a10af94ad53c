import honest, { attachSlots, SlotWriter } from "../competitors/seqlock-slots.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/** Believes what one pass over the slots has found, of which each may have been read at another time. */
export default {
  ...honest,
  summary: "mutant: reads slots without a look at their version",

  attach: (memory, capacity) =>
    attachSlots(
      memory,
      capacity,
      new SlotWriter(memory, capacity),
      (region, word) => Atomics.load(region, word),
      (look) => look,
    ),
} satisfies OwnershipCompetitor;

export const breaks = "seesSomeInstant";
