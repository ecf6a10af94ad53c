import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * The slot that was given back last, and the slots of the interval in turn while there is none.
 *
 * Promise: every heartbeat exactly one interval after the last. While the fleet only grows, or replaces at once the
 *   clients that leave, no two slots differ by more than one client.
 * Progress: wait-free.
 * Threads: one; for many see structures/slots.
 * Cost: O(1) for every call: a push or a pop.
 * Memory: 4 to 6 bytes per client, and a number for each slot given back and not yet taken again.
 * Limits: does not look at loads. While clients are away, their slots stay empty, and a newcomer fills the newest hole
 *   and not the deepest. In an outage clients time out slot by slot. The first to come back fill one slot entirely
 *   before another gets any. Of 12,000 clients in 600 slots, 6,000 come back as 20 in each of 300 slots and none in the
 *   others.
 * Bet: a client that leaves makes exactly the room that the next one needs. At a constant number of clients a stack is
 *   therefore as good as least loaded. The difference shows only while many are away.
 * Source: free lists, as memory allocators have them (Knuth, TAOCP 2.2.3).
 */
export default {
  ...PLACED,
  summary: "the slot that was given back last, else the slots in turn",
  source: "free lists: Knuth, TAOCP 2.2.3",
  spread: 1,
  create: placing((slots) => {
    const freed: number[] = [];
    let turn = slots - 1;
    return {
      choose() {
        const slot = freed.pop();
        if (slot !== undefined) return slot;
        turn = turn + 1 === slots ? 0 : turn + 1;
        return turn;
      },
      free(slot) {
        freed.push(slot);
      },
    };
  }),
} satisfies HeartbeatCompetitor;
