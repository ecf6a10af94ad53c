import { scrambled } from "../../shared/murmur3.ts";
import { bounded } from "../../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * A client's slot is a hash of its number.
 *
 * Promise: every heartbeat exactly one interval after the last. A client that comes back has the slot it had, on every
 *   server with the same seed.
 * Progress: wait-free.
 * Threads: one; the placement itself has no state, so any number of servers agree on it without a word.
 * Cost: O(1) for every call.
 * Memory: 4 to 6 bytes per client, for its slot and to refuse a call that does not fit its state. The hash alone would
 *   need none.
 * Limits: scatters as random slots do; clients that come and go do not matter, as each has its slot for good.
 * Bet: the same picture as random slots, from no state at all.
 * Source: Prometheus, scrape/target.go, offset(); the finaliser of MurmurHash3 (Appleby) as the hash.
 */
export default {
  ...PLACED,
  summary: "a hash of the client's number for a slot: stateless, the same on every server",
  source: "Prometheus scrape/target.go; MurmurHash3's finaliser",
  create: placing((slots, seed) => {
    // Hashed too: clients are numbered from 0, and any small number would only change their order.
    const salt = scrambled(seed);
    return { choose: (client) => bounded(scrambled(client ^ salt), slots) };
  }),
} satisfies HeartbeatCompetitor;
