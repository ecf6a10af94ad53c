import type { OwnershipCompetitor } from "../ownership.contract.ts";
import honest, { attachSlots, SlotWriter } from "../shared-slots.ts";

/** Believes what one pass over the slots has found, of which each may have been read at another time. */
export default {
  ...honest,
  summary: "liar: reads shared slots without a look at their version",

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
