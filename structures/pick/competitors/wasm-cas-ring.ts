import { pickCode, ringIn } from "../parts/wasm.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import aaControl from "./cas-ring.ts";

/**
 * cas-ring with its pick in WebAssembly, retries and all; the original in everything else.
 *
 * Promise: every move of the head is one pick; the gap between any two backends never exceeds 1.
 * Progress: lock-free, as the original.
 * Threads: any worker that attached; each has an instance of its own.
 * Cost: one call from JavaScript, then one atomic load and one compare-exchange per attempt.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: the original's; and the region must lie in a WebAssembly.Memory, which has to be handed to every worker too.
 * Bet: fewer attempts fail than in the original, because load and compare-exchange are closer together.
 * Source: cas-ring; WebAssembly threads proposal for the atomics.
 *
 * The bytes are drawn in cas-ring.ts, the code is in pick.wat.
 */
export default {
  ...aaControl,
  summary: "cas-ring with its pick in WebAssembly",
  source: "cas-ring; WebAssembly threads",
  yardstickOf: "cas-ring",
  needsLinear: true,

  attach: (memory, setup) => ringIn(pickCode(memory, setup)),
} satisfies PickCompetitor;
