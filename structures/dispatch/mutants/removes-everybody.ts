import honest from "../competitors/sorted-list.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: says of every client that it was listed. */
export const breaks = "answersTruly";

export default {
  ...honest,
  summary: "mutant: sorted list that confirms every remove",

  create(clients, reach, start) {
    const list = honest.create(clients, reach, start);
    return {
      enter: (client, deadline) => list.enter(client, deadline),
      remove(client) {
        list.remove(client);
        return true;
      },
      take: (now) => list.take(now),
    };
  },
} satisfies DispatchCompetitor;
