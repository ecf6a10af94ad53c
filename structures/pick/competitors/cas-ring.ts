import { PACKED, ring } from "../parts/ring.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over a linked ring. A compare-exchange moves the head from its node to the next, so no index and no
 * remainder is needed.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded.
 * Threads: any worker that attached.
 * Cost: one Atomics.load and one compareExchange per attempt; attempts grow with contention.
 * Memory: one stride for the head, then two words per backend.
 * Limits: under contention most attempts fail, and each still takes the line away from the others. The same order
 *   every rotation, as with any fixed shuffle.
 * Bet: dropping the division does not pay for the retries; at 8 backends there was no division to drop.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), CAS Linked List. The nodes stand
 *   side by side, as its author hopes that allocating them in a tight loop will have it.
 *
 * parts/ring.ts lays out the bytes, with a node in every two words.
 */
export default {
  summary: "linked ring in shared memory, head moved by compare-exchange",
  source: "Portmann, Randomized Round Robin: CAS Linked List",
  ...ring(PACKED),
} satisfies PickCompetitor;
