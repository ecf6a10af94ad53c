import { STRIDE_WORDS } from "../../shared/layout.ts";
import { addsIn, pickCode } from "../parts/wasm.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * A lower bound, no picker: adds 1 to one shared counter, as often as asked for within one call.
 *
 * Promise: every add is one ticket; there is no backend behind it, the answer is always 0.
 * Progress: wait-free.
 * Threads: any worker that attached; each has an instance of its own.
 * Cost: one atomic add, and the loop around it.
 * Memory: one stride for the counter, in a page of 64 KiB.
 * Limits: no picker that draws tickets one by one from a shared counter can cost less. Its `pick` makes a single add
 *   and a call, and is there for the laws.
 * Bet: none; it is what the round robins are held to.
 * Source: WebAssembly threads proposal for the atomics; the code is in pick.wat.
 *
 *     word 0   count   adds so far, modulo 2^32   every worker, atomically
 */
export default {
  summary: "lower bound: nothing but atomic adds to one counter, in a WebAssembly loop",
  source: "WebAssembly threads",
  progress: "wait-free",
  lowerBound: true,
  order: "none",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: false,
  needsLinear: true,

  words: () => STRIDE_WORDS,

  format(memory, { firstTicket }) {
    Atomics.store(memory, COUNT, firstTicket | 0);
  },

  attach: (memory, setup) => addsIn(pickCode(memory, setup)),

  inspect: (memory, { firstTicket }) => ({
    handedOut: { count: (Atomics.load(memory, COUNT) - firstTicket) >>> 0, modulo: 2 ** 32 },
  }),
} satisfies PickCompetitor;

const COUNT = 0;
