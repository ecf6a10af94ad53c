import honest from "../competitors/sweep.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Watches one connection in ten anew in place of telling the server that it has expired. */
export const breaks = "everyDeadClosed";

export default {
  ...honest,
  summary: "mutant: one connection in ten never expires",
  watch(setup) {
    const watcher = honest.watch({
      ...setup,
      expired(connection) {
        if (connection.place % 10 !== 0) {
          setup.expired(connection);
          return;
        }
        watcher.closed(connection);
        watcher.opened(connection);
      },
    });
    return watcher;
  },
} satisfies ConnectionsCompetitor;
