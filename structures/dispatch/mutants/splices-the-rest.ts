import { type DispatchCompetitor, NOBODY } from "../dispatch.contract.ts";
import { alreadyListed, assertSizes, clockAfter, dueSecond } from "../parts/seconds.ts";

/** Mutant: an array that removes a client with a splice which forgets to say how many: those behind it go as well. */
export const breaks = "conserved";

export default {
  summary: "mutant: array whose remove cuts off the rest",
  source: "none",
  progress: "wait-free",
  order: "any",

  create(clients, reach) {
    assertSizes(clients, reach);
    const entries: { readonly client: number; readonly second: number }[] = [];
    const isListed = new Uint8Array(clients);
    let clock = 0;
    return {
      enter(client, due) {
        const second = dueSecond(client, due, clients, clock, reach);
        if (isListed[client] === 1) throw alreadyListed(client);
        isListed[client] = 1;
        entries.push({ client, second });
      },
      remove(client) {
        if (isListed[client] !== 1) return false;
        isListed[client] = 0;
        entries.splice(entries.findIndex((entry) => entry.client === client));
        return true;
      },
      take(now) {
        clock = clockAfter(now, clock);
        const index = entries.findIndex(({ second }) => second <= clock);
        if (index === -1) return NOBODY;
        const [{ client }] = entries.splice(index, 1) as [(typeof entries)[number]];
        isListed[client] = 0;
        return client;
      },
    };
  },
} satisfies DispatchCompetitor;
