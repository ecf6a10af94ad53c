import { STRIDE_BYTES, STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { NODES, ring } from "../parts/ring.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over a linked ring whose nodes lie at random over a region larger than a core's private caches.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded.
 * Threads: any worker that attached.
 * Cost: one Atomics.load and one compareExchange per attempt; attempts grow with contention. Every pick reads a line
 *   that no prefetcher foresees.
 * Memory: one stride for the head, then 8 MiB, or one stride per backend where that is more.
 * Limits: the region is larger than the caches, but the lines of the nodes in it are not. They stay in the second-level
 *   cache up to about ten thousand backends. At a thousand this shows what a page and a first-level miss for every node
 *   cost, and at a handful nothing. A heap that ages badly scatters nodes as here, but not as far apart.
 * Bet: no different from cas-ring at 8 backends, slower at 1000, and under contention the head's line hides even that.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), CAS Linked List: "the larger the
 *   list, the bigger the chances that you will see performance loss due to bad data locality".
 *
 * parts/ring.ts lays out the bytes, with nodes at the start of strides drawn at random, all different.
 */
export default {
  summary: "linked ring with nodes at random over 8 MiB, head moved by compare-exchange",
  source: "Portmann, Randomized Round Robin: CAS Linked List, bad locality",
  ...ring({
    words: (backends) => stridesFor(backends) * STRIDE_WORDS,
    nodes({ backends, seed }) {
      // A stream of its own: the shuffle of the rotation uses stream 0 of the same seed.
      const strides = new Random(seed, 1).shuffle(
        Int32Array.from({ length: stridesFor(backends) }, (_, at) => at),
      );
      return strides.subarray(0, backends).map((stride) => NODES + stride * STRIDE_WORDS);
    },
  }),
} satisfies PickCompetitor;

/** Several times the private caches of the cores that the lab runs on, which have 1 to 2 MiB. */
const REGION_BYTES = 8 * 2 ** 20;

function stridesFor(backends: number): number {
  return Math.max(REGION_BYTES / STRIDE_BYTES, backends);
}
