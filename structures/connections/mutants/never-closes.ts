import honest from "../competitors/sweep.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Never tells the server of one connection in ten. */
export const breaks = "everyDeadClosed";

export default {
  ...honest,
  summary: "mutant: one connection in ten never expires",
  watch: ({ expired, ...setup }) =>
    honest.watch({
      ...setup,
      expired(connection) {
        if (connection.place % 10 !== 0) expired(connection);
      },
    }),
} satisfies ConnectionsCompetitor;
