import { pickCode, randomIn } from "../parts/wasm.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import aaControl from "./per-worker-random.ts";

/**
 * per-worker-random with its generator in WebAssembly; the original in everything else.
 *
 * Promise: every pick is uniform to within 2^-32 per backend, and workers draw from different streams.
 * Progress: wait-free.
 * Threads: any worker that attached; each has an instance of its own.
 * Cost: one call from JavaScript, then the generator and a multiplication of 64 bits.
 * Memory: 16 bytes private to each worker, its instance, and a page of 64 KiB that no pick touches.
 * Limits: the original's; and setup.linear has to be handed to every worker, as for every picker in WebAssembly.
 * Bet: a yardstick: where nothing is atomic the compiler's own code leaves nothing for WebAssembly to gain but the call.
 * Source: per-worker-random; WebAssembly for the code.
 *
 * The code is in pick.wat.
 */
export default {
  ...aaControl,
  summary: "per-worker-random with its generator in WebAssembly",
  source: "per-worker-random; WebAssembly",
  yardstickOf: "per-worker-random",
  needsLinear: true,

  attach: (memory, setup, worker) => randomIn(pickCode(memory, setup), setup, worker),
} satisfies PickCompetitor;
