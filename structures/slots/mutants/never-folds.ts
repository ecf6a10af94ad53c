import honest from "../competitors/shared-ticket.ts";
import { NEXT } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: never folds its counter back, which turns negative after 2^31 takes, and so do the slots. */
export const breaks = "foldedBack";

export default {
  ...honest,
  summary: "mutant: a shared ticket that is never folded back",
  attach: (memory, slots) => ({ take: () => Atomics.add(memory, NEXT, 1) % slots, give() {} }),
} satisfies SlotsCompetitor;
