import type { Watcher } from "../connections.contract.ts";

/** A watcher that does as another, but for what `change` puts in its place: for liars. */
export function changed(watcher: Watcher, change: (watcher: Watcher) => Partial<Watcher>): Watcher {
  return {
    opened: (connection) => watcher.opened(connection),
    heard: (connection) => watcher.heard(connection),
    answered: (connection) => watcher.answered(connection),
    closed: (connection) => watcher.closed(connection),
    end: () => watcher.end(),
    get size() {
      return watcher.size;
    },
    ...change(watcher),
  };
}
