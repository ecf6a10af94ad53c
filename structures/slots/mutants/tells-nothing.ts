import honest from "../competitors/shared-ticket.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: shares a word and tells nothing of it, so that nothing holds it to its takes. */
export const breaks = "sharedWordsTell";

export default {
  ...honest,
  summary: "mutant: a shared ticket that inspect leaves out",
  inspect: () => ({}),
} satisfies SlotsCompetitor;
