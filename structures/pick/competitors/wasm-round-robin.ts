import { pickCode } from "../parts/wasm.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import aaControl from "./shuffled-round-robin.ts";

/**
 * shuffled-round-robin with its pick in WebAssembly; the original in everything else.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: lock-free, as the original: wait-free but for the fold.
 * Threads: any worker that attached; each has an instance of its own.
 * Cost: one call from JavaScript, one atomic add, and two multiplications in place of the division.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: the original's; and the region must lie in a WebAssembly.Memory, which has to be handed to every worker too.
 * Bet: an add that is an instruction and not a call gains more than the call that reaches it costs. With contention the
 *   line's way between cores costs more than either and the two are alike.
 * Source: shuffled-round-robin; WebAssembly threads proposal for the atomics.
 *
 * The bytes are drawn in shuffled-round-robin.ts, the code is in pick.wat.
 */
export default {
  ...aaControl,
  summary: "shuffled-round-robin with its pick in WebAssembly",
  source: "shuffled-round-robin; WebAssembly threads",
  yardstickOf: "shuffled-round-robin",
  needsLinear: true,

  attach(memory, setup) {
    return { pick: pickCode(memory, setup).pickRoundRobin };
  },
} satisfies PickCompetitor;
