import honest from "../competitors/ring-of-slots.ts";
import { type DispatchCompetitor, NOBODY } from "../dispatch.contract.ts";

/** Mutant: looks at the second of the clock only, so that a client entered after it was emptied waits for the next. */
export const breaks = "onTime";

export default {
  ...honest,
  summary: "mutant: ring of slots that is done with a second once it was empty",

  create(clients, reach, start) {
    const list = honest.create(clients, reach, start);
    let doneWith = -1;
    return {
      enter: (client, deadline) => list.enter(client, deadline),
      remove: (client) => list.remove(client),
      take(now) {
        if (now <= doneWith) return NOBODY;
        const client = list.take(now);
        if (client === NOBODY) doneWith = now;
        return client;
      },
    };
  },
} satisfies DispatchCompetitor;
