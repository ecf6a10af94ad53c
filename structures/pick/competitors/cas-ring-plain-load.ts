import { BACKEND, HEAD, NEXT, PACKED, ring } from "../parts/ring.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over a linked ring whose head is read plainly before it is moved by compare-exchange.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded, or that a stale head was read.
 * Threads: any worker that attached.
 * Cost: one plain load and one compareExchange per attempt; attempts grow with contention.
 * Memory: one stride for the head, then two words per backend.
 * Limits: as cas-ring. That a plain read sees other threads' writes at all rests on the engine: see below.
 * Bet: in an engine that calls a function for every Atomics access, this removes one of the two calls and about as much
 *   time. Under contention the line's travel hides the difference.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), CAS Linked List, which reads its
 *   head with a plain load too.
 *
 * parts/ring.ts lays out the bytes, with a node in every two words.
 */
export default {
  summary: "linked ring in shared memory, head read plainly, moved by compare-exchange",
  source: "Portmann, Randomized Round Robin: CAS Linked List",
  ...ring(PACKED),

  attach(memory) {
    let casFailures = 0;
    return {
      pick() {
        for (;;) {
          // A stale head is harmless: it still is a node of the ring, and the exchange fails unless it is the head
          // after all. It does not stay stale either. A failed exchange has seen a newer head, and a later read may see
          // no older one. Neither processor nor compiler may therefore keep the value from the last attempt.
          const node = memory[HEAD]!;
          // Plain reads of the node, here and below. Format wrote it before any worker attached and nothing writes it
          // since, so there is no stale value to read.
          if (Atomics.compareExchange(memory, HEAD, node, memory[node + NEXT]!) === node) {
            return memory[node + BACKEND]!;
          }
          casFailures++;
        }
      },
      counters: () => ({ casFailures }),
    };
  },
} satisfies PickCompetitor;
