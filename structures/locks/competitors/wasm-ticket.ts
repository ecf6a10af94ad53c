import type { LockCompetitor } from "../locks.contract.ts";
import { locksCode, ticketIn } from "../parts/wasm.ts";
import aaControl from "./ticket.ts";

/**
 * ticket in WebAssembly, polls and all; the original in everything else.
 *
 * Promise: mutual exclusion; first come, first served, where to come is to take a ticket.
 * Progress: blocking. Fair: no worker that comes later goes in earlier.
 * Threads: any worker that attached, each with an instance of its own; only the holder unlocks.
 * Cost: a call from JavaScript to lock and one to unlock; one add and one load, and one store. Every release invalidates
 *   the line that all waiters poll.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: those of the original. Waiters leave their core for a moment, and a holder that dies leaves it taken for
 *   ever. To unlock what is not held is not detected, nor is to lock what this worker holds. No lockWithin and
 *   no lockAsync. And the words must lie in a WebAssembly.Memory, which has to be handed to every worker too.
 * Bet: a yardstick. Uncontended, it is faster by what three calls of Atomics cost beyond three instructions. Contended,
 *   by less, because a line takes as long from core to core in either language.
 * Source: ticket; WebAssembly threads proposal for the atomics and wait32.
 *
 * The bytes are drawn in ticket.ts, the code is in locks.wat.
 */
export default {
  ...aaControl,
  summary: "ticket in WebAssembly",
  source: "ticket; WebAssembly threads",
  yardstickOf: "ticket",
  needsLinear: true,

  attach: (memory, _worker, linear) => ticketIn(locksCode(memory, linear)),
} satisfies LockCompetitor;
