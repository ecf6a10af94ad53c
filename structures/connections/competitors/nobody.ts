import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { assertSetup } from "../parts/caught-up.ts";

/**
 * Watches no connection: the same server, whose dead connections stay for ever.
 *
 * Promise: none.
 * Progress: wait-free.
 * Threads: any.
 * Cost: a call that does nothing.
 * Memory: none.
 * Limits: it is of no use.
 * Bet: none; what any other costs is what it costs above this.
 * Source: the empty function.
 */
export default {
  summary: "watches nobody: what the server costs without",
  source: "the empty function",
  progress: "wait-free",
  lowerBound: true,
  renewedBy: "nothing",
  earliness: () => 0,
  lateness: () => Number.POSITIVE_INFINITY,
  watch(setup) {
    assertSetup(setup);
    return { opened() {}, heard() {}, answered() {}, closed() {}, end() {}, size: 0 };
  },
} satisfies ConnectionsCompetitor;
