import { queuesCode, sequenceRingIn } from "../parts/wasm/sequence-ring.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";
import sequenceRing from "./sequence-ring.ts";

/**
 * sequence-ring whose places are claimed and handed on in WebAssembly; the original in everything else.
 *
 * Promise: the original's.
 * Progress: blocking, as the original.
 * Threads: any number of producers and consumers; each has an instance of its own.
 * Cost: the original's accesses, a plain load of the place's number more, and two calls from JavaScript for each send and
 *   receive, or one that is refused.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: the original's; and the region must lie in a WebAssembly.Memory, which goes to every worker with the queue.
 * Bet: a yardstick. If it loses to a lock as the original does, JavaScript's Atomics are not the reason.
 * Source: sequence-ring; WebAssembly threads proposal for the atomics.
 *
 * The bytes are drawn in sequence-ring.ts, the code is in queues.wat.
 */
export default {
  ...sequenceRing,
  ...sequenceRingIn(queuesCode),
  summary: "sequence-ring whose places are claimed in WebAssembly",
  source: "sequence-ring; WebAssembly threads",
  yardstickOf: "sequence-ring",
  needsLinear: true,
} satisfies QueuesCompetitor;
