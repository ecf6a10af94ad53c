import honest from "../competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { changed } from "../parts/changed.ts";

/** Sets a timer for each connection that closes, and forgets it. */
export const breaks = "noTimerLeft";

/** Longer than anybody looks, in ms. */
const LONG_MS = 2 ** 30;

export default {
  ...honest,
  summary: "mutant: a timer is left behind by each connection that closes",
  watch: (setup) =>
    changed(honest.watch(setup), (watcher) => ({
      closed(connection) {
        if (watcher.size > 0) setup.loop.setTimeout(() => {}, LONG_MS);
        watcher.closed(connection);
      },
    })),
} satisfies ConnectionsCompetitor;
