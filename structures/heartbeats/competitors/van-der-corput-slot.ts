import { bounded } from "../../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Slots in the order of the van der Corput sequence: the client's number of order with its bits reversed, as a fraction
 * of the interval. Each client halves the largest gap that is left.
 *
 * Promise: every heartbeat exactly one interval after the last; after 2^k clients each 2^k-th part of the interval has
 *   had one.
 * Progress: wait-free.
 * Threads: one; a ticket shared by many would do.
 * Cost: O(1) for every call: five steps that reverse 32 bits.
 * Memory: 4 to 6 bytes per client.
 * Limits: departures make holes that are not filled on purpose, as with every sequence.
 * Bet: the golden section's rival: evener at powers of two, and no better under churn.
 * Source: van der Corput, "Verteilungsfunktionen" (1935); bit reversal as in Warren, Hacker's Delight, 7-1.
 */
export default {
  ...PLACED,
  summary: "slots in bit-reversed order: each client halves the largest gap",
  source: 'van der Corput, "Verteilungsfunktionen" (1935)',
  create: placing((slots) => {
    let turn = 0;
    return { choose: () => bounded(reversed(turn++), slots) };
  }),
} satisfies HeartbeatCompetitor;

/** The low 32 bits of an integer in reverse order, as an int32. */
function reversed(integer: number): number {
  let bits = integer | 0;
  bits = ((bits & 0x55555555) << 1) | ((bits >>> 1) & 0x55555555);
  bits = ((bits & 0x33333333) << 2) | ((bits >>> 2) & 0x33333333);
  bits = ((bits & 0x0f0f0f0f) << 4) | ((bits >>> 4) & 0x0f0f0f0f);
  bits = ((bits & 0x00ff00ff) << 8) | ((bits >>> 8) & 0x00ff00ff);
  return (bits << 16) | (bits >>> 16);
}
