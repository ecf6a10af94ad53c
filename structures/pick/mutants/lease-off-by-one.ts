import honest from "../competitors/leased-tickets-4.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: takes four tickets and takes them to end one earlier, so that nobody ever picks the fourth. */
export const breaks = "ticketsAreConserved";

export default {
  ...honest,
  summary: "mutant: leases that lose their last ticket",

  attach(memory, setup, worker) {
    const { pick, counters } = honest.attach(memory, setup, worker);
    return {
      pick() {
        const backend = pick();
        if (counters().heldCount === 1) pick();
        return backend;
      },
      counters,
    };
  },
} satisfies PickCompetitor;
