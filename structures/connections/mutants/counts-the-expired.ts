import honest from "../competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { changed } from "../parts/changed.ts";

/** Its size has in it who has expired and not closed. */
export const breaks = "countsWatched";

export default {
  ...honest,
  summary: "mutant: counts who has expired until it has closed",
  watch(setup) {
    const expired = new Set<number>();
    const watcher = honest.watch({
      ...setup,
      expired(connection) {
        expired.add(connection.place);
        setup.expired(connection);
      },
    });
    return changed(watcher, () => ({
      closed(connection) {
        expired.delete(connection.place);
        watcher.closed(connection);
      },
      get size() {
        return watcher.size + expired.size;
      },
    }));
  },
} satisfies ConnectionsCompetitor;
