import { STRIDE_WORDS, wholeStrides } from "../shared/layout.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { shuffledLap } from "./shuffled-round-robin.ts";

/**
 * Round robin over a linked ring: the head is moved from its node to the next by compare-exchange, so that no index
 * and no remainder is needed.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded.
 * Threads: any worker that attached.
 * Cost: one Atomics.load and one compareExchange per attempt; attempts grow with contention.
 * Memory: one stride for the head, then two words per backend.
 * Limits: under contention most attempts fail, and each still takes the line away from the others. The same order
 *   every lap, as with any fixed shuffle.
 * Bet: dropping the division does not pay for the retries; at 8 backends there was no division to drop.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), CAS Linked List.
 *
 *     word 0           head   word index of the node picked next             every worker, atomically
 *     words 1 .. 31    dead, so that the nodes do not share the head's lines
 *     words 32 ..      nodes  [backend, word index of the next node] each    written by format only
 */
export default {
  summary: "linked ring in shared memory, head moved by compare-exchange",
  source: "Portmann, Randomized Round Robin: CAS Linked List",
  progress: "lock-free",
  order: "round-robin",
  tickets: "linearizable",
  gapBound: () => 1,
  wrapPoints: () => [],

  words: ({ backends }) => NODES + wholeStrides(backends * NODE_WORDS),

  format(memory, { backends, seed, firstTicket }) {
    shuffledLap(backends, seed).forEach((backend, position) => {
      memory[nodeAt(position) + BACKEND] = backend;
      memory[nodeAt(position) + NEXT] = nodeAt((position + 1) % backends);
    });
    Atomics.store(memory, HEAD, nodeAt(firstTicket % backends));
  },

  attach(memory) {
    let casFailures = 0;
    return {
      pick() {
        for (;;) {
          const node = Atomics.load(memory, HEAD);
          // Plain reads of the node: format wrote it before any worker attached and nothing writes it since. For the
          // same reason a head that went once round in between (ABA) does no harm: its next node is still its next.
          if (Atomics.compareExchange(memory, HEAD, node, memory[node + NEXT]!) === node) {
            return memory[node + BACKEND]!;
          }
          casFailures++;
        }
      },
      counters: () => ({ casFailures }),
    };
  },

  inspect(memory, { backends, firstTicket }) {
    const position = (Atomics.load(memory, HEAD) - NODES) / NODE_WORDS;
    return {
      handedOut: { count: (position - (firstTicket % backends) + backends) % backends, modulo: backends },
      lap: Array.from({ length: backends }, (_, at) => memory[nodeAt(at) + BACKEND]!),
    };
  },
} satisfies PickCompetitor;

const HEAD = 0;
const NODES = STRIDE_WORDS;
const NODE_WORDS = 2;
const BACKEND = 0;
const NEXT = 1;

function nodeAt(position: number): number {
  return NODES + position * NODE_WORDS;
}
