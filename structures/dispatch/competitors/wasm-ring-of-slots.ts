import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { dispatchCode, RingInCode } from "../parts/wasm.ts";
import aaControl from "./ring-of-slots.ts";

/**
 * ring-of-slots with its lists in WebAssembly; the original in everything else.
 *
 * Promise: everything the contract asks. Clients are taken in the order of their deadlines, and clients of the same
 *   second in the order in which they were entered.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: the original's, and a call from JavaScript for each enter, remove and take, and where the clock moves.
 * Memory: the original's, in whole pages of 64 KiB, and an instance.
 * Limits: the original's.
 * Bet: a yardstick. With plain accesses alone the compiler's own code leaves nothing to gain but the bounds checks of a
 *   typed array. The call costs more than that, and among many clients cache misses cost more than either.
 * Source: ring-of-slots; WebAssembly for the code.
 *
 * The bytes are drawn in ring-of-slots.ts, with addresses for links; the code is in dispatch.wat.
 */
export default {
  ...aaControl,
  summary: "ring-of-slots with its lists in WebAssembly",
  source: "ring-of-slots; WebAssembly",
  yardstickOf: "ring-of-slots",
  create: (clients, reach, start = 0) => new RingInCode(dispatchCode, clients, reach, start),
} satisfies DispatchCompetitor;
