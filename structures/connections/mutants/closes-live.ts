import honest from "../competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { changed } from "../parts/changed.ts";

/** Does not hear one connection in ten, and closes it while it beats. */
export const breaks = "noLiveClosed";

export default {
  ...honest,
  summary: "mutant: messages of one connection in ten do not renew it",
  watch: (setup) =>
    changed(honest.watch(setup), (watcher) => ({
      heard(connection) {
        if (connection.place % 10 !== 0) watcher.heard(connection);
      },
    })),
} satisfies ConnectionsCompetitor;
