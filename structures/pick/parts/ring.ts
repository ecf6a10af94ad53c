import type { Region } from "../../shared/layout.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { PickCompetitor, Picker, PickSetup } from "../pick.contract.ts";
import { shuffledRotation } from "./rotation.ts";

/**
 * A linked ring in shared memory, wherever its nodes stand: what the pickers that move a head along one have in
 * common. They differ in where the nodes are.
 *
 *     word 0           head    word index of the node picked next              every worker, atomically
 *     word 1           first   word index of the node of ticket 0              written by format, read by inspect
 *     words 2 .. 31    dead, so that the nodes do not share the head's lines
 *     words 32 ..      nodes   [backend, word index of the next node] each     written by format only
 *
 * The links never change while workers are attached. That is what makes the compare-exchange of the head enough. A head
 * that went once round between a worker's read and its exchange (ABA) is the same node with the same next node. The
 * exchange then does what it would have done had no other worker come between. Nodes that could be linked anew would
 * need a counter beside the head.
 */
const HEAD = 0;
const FIRST = 1;
export const NODES = STRIDE_WORDS;
const NODE_WORDS = 2;
const BACKEND = 0;
const NEXT = 1;

/** Where the nodes stand. */
export interface Placement {
  /** Words from NODES on that the nodes need. */
  words(backends: number): number;
  /** Word index of each node, by its place in the rotation. */
  nodes(setup: PickSetup): Int32Array;
}

/** Every word of a picker over a ring, but for its summary and source. */
export function ring(placement: Placement) {
  return {
    progress: "lock-free",
    order: "rotation",
    breaksPatterns: false,
    tickets: "linearizable",
    gapBound: () => 1,
    wrapPoints: () => [],
    dependsOnBackends: true,

    words: ({ backends }) => NODES + placement.words(backends),

    format(memory, setup) {
      const { backends, seed, firstTicket } = setup;
      const nodes = placement.nodes(setup);
      shuffledRotation(backends, seed).forEach((backend, position) => {
        const node = nodes[position]!;
        memory[node + BACKEND] = backend;
        memory[node + NEXT] = nodes[(position + 1) % backends]!;
      });
      memory[FIRST] = nodes[0]!;
      Atomics.store(memory, HEAD, nodes[firstTicket % backends]!);
    },

    attach: attachByLoad,

    inspect(memory, { backends, firstTicket }) {
      // Once round from the first node: only the links say where in the rotation the head is.
      const head = Atomics.load(memory, HEAD);
      const rotation: number[] = [];
      let position = 0;
      for (let node = memory[FIRST]!; rotation.length < backends; node = memory[node + NEXT]!) {
        if (node === head) position = rotation.length;
        rotation.push(memory[node + BACKEND]!);
      }
      return {
        handedOut: { count: (position - (firstTicket % backends) + backends) % backends, modulo: backends },
        rotation,
      };
    },
  } satisfies Omit<PickCompetitor, "summary" | "source">;
}

/** A picker that reads the head with Atomics.load. */
function attachByLoad(memory: Region): Picker {
  let casFailures = 0;
  return {
    pick() {
      for (;;) {
        const node = Atomics.load(memory, HEAD);
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
}

/** Nodes side by side in the order of the rotation, sixteen to a stride. */
export const PACKED: Placement = {
  words: (backends) => backends * NODE_WORDS,
  nodes: ({ backends }) =>
    Int32Array.from({ length: backends }, (_, position) => NODES + position * NODE_WORDS),
};
