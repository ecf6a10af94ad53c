import { STRIDE_WORDS } from "../../shared/layout.ts";
import { NODES, ring } from "../parts/ring.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over a linked ring with a stride of its own for every node.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded.
 * Threads: any worker that attached.
 * Cost: one Atomics.load and one compareExchange per attempt; attempts grow with contention. Every pick reads a line
 *   that the pick before it did not.
 * Memory: one stride for the head, then one per backend.
 * Limits: as cas-ring.
 * Bet: no faster than cas-ring, because nodes are only ever read and there is no false sharing for the padding to
 *   prevent. Slower where the backends are so numerous that the padding costs cache.
 * Source: the rule of thumb that shared data is padded, applied to the CAS Linked List of "Randomized Round Robin (Load
 *   Balancing) as Fast as Possible" (N. Portmann).
 *
 * parts/ring.ts lays out the bytes, with a node at the start of every stride, in the order of the rotation.
 */
export default {
  summary: "linked ring with a stride per node, head moved by compare-exchange",
  source: "Portmann, Randomized Round Robin: CAS Linked List, padded",
  ...ring({
    words: (backends) => backends * STRIDE_WORDS,
    nodes: ({ backends }) =>
      Int32Array.from({ length: backends }, (_, position) => NODES + position * STRIDE_WORDS),
  }),
} satisfies PickCompetitor;
