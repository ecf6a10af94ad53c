import honest from "../competitors/sorted-list.ts";
import { type DispatchCompetitor, NOBODY } from "../dispatch.contract.ts";

/** Mutant: hands out the last client of a second once more, as a loop does that tests for the end one step late. */
export const breaks = "takenOnce";

export default {
  ...honest,
  summary: "mutant: sorted list that takes the last of a second twice",

  create(clients, reach, start) {
    const list = honest.create(clients, reach, start);
    let last = NOBODY;
    return {
      enter: (client, deadline) => list.enter(client, deadline),
      remove: (client) => list.remove(client),
      take(now) {
        const client = list.take(now);
        const again = client === NOBODY ? last : client;
        last = client;
        return again;
      },
    };
  },
} satisfies DispatchCompetitor;
