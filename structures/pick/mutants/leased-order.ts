import leased from "../competitors/leased-tickets-4.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: each worker draws tickets four at a time and hands them out later, which conserves them but lets a pick
 * overtake one that returned before it began; it claims linearizable tickets all the same.
 */
export const breaks = "ticketsAreLinearizable";

export default {
  ...leased,
  summary: "mutant: leased tickets that claim to be linearizable",
  tickets: "linearizable",

  attach(memory, setup, worker) {
    const { pick } = leased.attach(memory, setup, worker);
    return { pick };
  },
} satisfies PickCompetitor;
