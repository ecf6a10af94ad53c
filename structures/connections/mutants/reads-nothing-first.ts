import fourAryHeap from "../../timers/competitors/four-ary-heap.ts";
import honest from "../competitors/four-ary-heap.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { assertSetup } from "../parts/caught-up.ts";
import { watchWithTimeouts } from "../parts/over-timeouts.ts";

/** Expires who is overdue at once, without a poll. */
export const breaks = "noneClosedUnread";

export default {
  ...honest,
  summary: "mutant: closes before it has read what waits in sockets",
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
} satisfies ConnectionsCompetitor;
