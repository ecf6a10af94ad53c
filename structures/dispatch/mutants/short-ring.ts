import honest from "../competitors/ring-of-slots.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: a ring of half the seconds it needs; a client due further ahead is taken a rotation or more too soon. */
export const breaks = "onTime";

export default {
  ...honest,
  summary: "mutant: ring of slots shorter than its reach",

  create(clients, reach, start = 0) {
    const list = honest.create(clients, reach, start);
    const rotation = Math.max(1, reach >>> 1);
    let clock = start;
    return {
      remove: (client) => list.remove(client),
      enter(client, deadline) {
        const ahead = deadline - clock;
        list.enter(
          client,
          ahead <= reach && ahead > rotation ? clock + 1 + ((ahead - 1) % rotation) : deadline,
        );
      },
      take(now) {
        const client = list.take(now);
        clock = Math.max(clock, now);
        return client;
      },
    };
  },
} satisfies DispatchCompetitor;
