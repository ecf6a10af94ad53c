import { changed, like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import fourAryHeap from "../timers/competitors/four-ary-heap.ts";
import type { ConnectionsCompetitor } from "./connections.contract.ts";
import { assertSetup, onceCaughtUp } from "./parts/caught-up.ts";
import { watchWithTimeouts } from "./parts/over-timeouts.ts";

/** Longer than anybody looks, in ms. */
const LONG_MS = 2 ** 30;

const TABLE: Mutants<ConnectionsCompetitor> = {
  /** Claims to close five seconds sooner than it does. */
  "closes-late": like("sweep", "closedInTime", (honest) => ({
    lateness: (timeoutMs) => honest.lateness(timeoutMs) - 5_000,
  })),
  /** Does not hear one connection in ten, and closes it while it beats. */
  "closes-live": like("hashed-wheel", "noLiveClosed", (honest) => ({
    watch(setup) {
      const watcher = honest.watch(setup);
      return changed(watcher, {
        heard(connection) {
          if (connection.place % 10 !== 0) watcher.heard(connection);
        },
      });
    },
  })),
  /** Tells the server of the same connection twice. */
  "closes-twice": like("node-set-timeout", "expiresOnce", (honest) => ({
    watch: ({ expired, ...setup }) =>
      honest.watch({
        ...setup,
        expired(connection) {
          expired(connection);
          expired(connection);
        },
      }),
  })),
  /** Polls before it expires anybody, but does not notice that the loop stood still. */
  "counts-standstills": like("four-ary-heap", "noneClosedUnread", () => ({
    watch: (setup) =>
      onceCaughtUp({ ...setup, loop: changed(setup.loop, { now: () => 0 }) }, "messages", ({ expired }) =>
        watchWithTimeouts(fourAryHeap, { ...setup, expired }),
      ),
  })),
  /** Its size has in it who has expired and not closed. */
  "counts-the-expired": like("hashed-wheel", "countsWatched", (honest) => ({
    watch(setup) {
      const expired = new Set<number>();
      const watcher = honest.watch({
        ...setup,
        expired(connection) {
          expired.add(connection.place);
          setup.expired(connection);
        },
      });
      return changed(watcher, {
        closed(connection) {
          expired.delete(connection.place);
          watcher.closed(connection);
        },
        get size() {
          return watcher.size + expired.size;
        },
      });
    },
  })),
  /** Ends without its timers, which keep the process alive until they fire. */
  "ends-before-its-timers": like("hashed-wheel", "endsWhole", (honest) => ({
    watch(setup) {
      let isEnded = false;
      const loop = changed(setup.loop, {
        clearTimeout(timer) {
          if (!isEnded) setup.loop.clearTimeout(timer);
        },
      });
      const watcher = honest.watch({ ...setup, loop });
      return changed(watcher, {
        end() {
          isEnded = true;
          watcher.end();
        },
      });
    },
  })),
  /** Sets a timer for each connection that closes, and forgets it. */
  "leaves-a-timer": like("hashed-wheel", "noTimerLeft", (honest) => ({
    watch(setup) {
      const watcher = honest.watch(setup);
      return changed(watcher, {
        closed(connection) {
          if (watcher.size > 0) setup.loop.setTimeout(() => {}, LONG_MS);
          watcher.closed(connection);
        },
      });
    },
  })),
  /** Watches one connection in ten anew in place of telling the server that it has expired. */
  "never-closes": like("sweep", "everyDeadClosed", (honest) => ({
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
  })),
  /** Goes on after its end. */
  "outlives-its-end": like("hashed-wheel", "endsWhole", (honest) => ({
    watch: (setup) => changed(honest.watch(setup), { end() {} }),
  })),
  /** Expires who is overdue at once, without a poll. */
  "reads-nothing-first": like("four-ary-heap", "noneClosedUnread", () => ({
    watch(setup) {
      assertSetup(setup);
      const mechanism = watchWithTimeouts(fourAryHeap, setup);
      let isEnded = false;
      return {
        opened(connection) {
          if (!isEnded) mechanism.opened(connection);
        },
        heard: (connection) => mechanism.renewed(connection),
        answered: (connection) => mechanism.renewed(connection),
        closed: (connection) => mechanism.closed(connection),
        end() {
          isEnded = true;
          mechanism.end();
        },
        get size() {
          return mechanism.size;
        },
      };
    },
  })),
  /** Takes 30 s for a timeout that it cannot serve. */
  "takes-any-setup": like("sweep", "refusesAtWatch", (honest) => ({
    watch: (setup) =>
      honest.watch({
        ...setup,
        timeoutMs: setup.timeoutMs >= 1_000 && setup.timeoutMs < 2 ** 31 ? setup.timeoutMs : 30_000,
      }),
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
