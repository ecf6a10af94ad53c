import honest from "../competitors/sorted-list.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: removes a client with a splice which forgets to say how many: those that entered after it go as well. */
export const breaks = "conserved";

export default {
  ...honest,
  summary: "mutant: a list whose remove cuts off the rest",

  create(clients, reach, start) {
    const list = honest.create(clients, reach, start);
    const entered: number[] = [];
    return {
      enter(client, deadline) {
        list.enter(client, deadline);
        entered.push(client);
      },
      remove(client) {
        if (!list.remove(client)) return false;
        for (const cut of entered.splice(entered.lastIndexOf(client))) list.remove(cut);
        return true;
      },
      take: (now) => list.take(now),
    };
  },
} satisfies DispatchCompetitor;
