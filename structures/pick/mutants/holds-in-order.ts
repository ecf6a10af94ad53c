import leased from "../competitors/leased-tickets-4.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: says of tickets that its workers took before they need them that they are picked in order. */
export const breaks = "ticketsAreNotHeld";

export default {
  ...leased,
  summary: "mutant: leased tickets, counted as held, that claim to be linearizable",
  tickets: "linearizable",
} satisfies PickCompetitor;
