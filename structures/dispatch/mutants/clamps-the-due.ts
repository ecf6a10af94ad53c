import honest from "../competitors/ring-of-slots.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: takes a deadline beyond its reach for the furthest it has, and so makes it early without a word. */
export const breaks = "badInputIsRefused";

export default {
  ...honest,
  summary: "mutant: ring of slots that clamps deadlines beyond its reach",

  create(clients, reach, start = 0) {
    const list = honest.create(clients, reach, start);
    let clock = start;
    return {
      enter: (client, deadline) => list.enter(client, Math.min(deadline, clock + reach)),
      remove: (client) => list.remove(client),
      take(now) {
        const client = list.take(now);
        clock = Math.max(clock, now);
        return client;
      },
    };
  },
} satisfies DispatchCompetitor;
