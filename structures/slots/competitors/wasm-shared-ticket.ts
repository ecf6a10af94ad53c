import { slotsCode, ticketsIn } from "../parts/wasm.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import aaControl from "./shared-ticket.ts";

/**
 * shared-ticket with its take in WebAssembly; the original in everything else.
 *
 * Promise: filling keeps all slots within one client of each other. Nothing once clients leave.
 * Progress: wait-free but for the fold of the counter, which is lock-free and runs once in about 2^30 takes.
 * Threads: any worker that attached, each with an instance of its own.
 * Cost: a call from JavaScript, one atomic add and one integer remainder to take; nothing to give.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: the original's; and the region must lie in a WebAssembly.Memory, which has to be handed to every worker too.
 * Bet: a yardstick. Alone it is faster by what a call of Atomics costs beyond an instruction. With company the line's
 *   way between cores costs more than either.
 * Source: shared-ticket; WebAssembly threads proposal for the atomics.
 *
 * parts/tickets.ts lays out the bytes, the code is in slots.wat.
 */
export default {
  ...aaControl,
  summary: "shared-ticket with its take in WebAssembly",
  source: "shared-ticket; WebAssembly threads",
  yardstickOf: "shared-ticket",
  needsLinear: true,

  attach: (memory, slots, _worker, linear) => ticketsIn(slotsCode(memory, slots, linear)),
} satisfies SlotsCompetitor;
