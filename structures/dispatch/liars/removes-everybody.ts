import type { DispatchCompetitor } from "../dispatch.contract.ts";
import honest from "../sorted-list.ts";

/** Liar: says of every client that it was listed. */
export const breaks = "answersTruly";

export default {
  ...honest,
  summary: "liar: sorted list that confirms every remove",

  create(clients, reach) {
    const list = honest.create(clients, reach);
    return {
      enter: (client, due) => list.enter(client, due),
      remove(client) {
        list.remove(client);
        return true;
      },
      take: (now) => list.take(now),
    };
  },
} satisfies DispatchCompetitor;
