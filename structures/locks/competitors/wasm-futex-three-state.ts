import type { LockCompetitor } from "../locks.contract.ts";
import { futexIn, locksCode } from "../parts/wasm.ts";
import aaControl from "./futex-three-state.ts";

/**
 * futex-three-state in WebAssembly, sleeps and all; the original in everything else.
 *
 * Promise: mutual exclusion; a sleeper is woken by some later unlock.
 * Progress: blocking. Not fair: a running worker may take the lock ahead of one being woken.
 * Threads: any worker that attached, each with an instance of its own; only the holder unlocks. Can be waited for up to a
 *   limit, and without blocking, which JavaScript does on the same word.
 * Cost: a call from JavaScript to lock and one to unlock. Uncontended, one compare-exchange and one exchange;
 *   contended, one memory.atomic.wait32 per sleep and one memory.atomic.notify per unlock that found state 2.
 * Memory: the original's, in whole pages of 64 KiB, and each worker's instance.
 * Limits: those of the original. A holder that dies leaves it taken for ever. A waiter that dies leaves the others
 *   asleep until its seat is freed. To unlock a free lock throws. To unlock what
 *   another worker holds is not detected, nor is to lock what this worker holds. And the words must lie in a WebAssembly.Memory, which has to
 *   be handed to every worker too.
 * Bet: a yardstick. Uncontended, it is faster by what two calls of Atomics cost beyond two instructions. Contended, the
 *   sleeps are the engine's own and the two are alike.
 * Source: futex-three-state; WebAssembly threads proposal for the atomics, wait32 and notify.
 *
 * The bytes are drawn in futex-three-state.ts, the code is in locks.wat.
 */
export default {
  ...aaControl,
  summary: "futex-three-state in WebAssembly",
  source: "futex-three-state; WebAssembly threads",
  yardstickOf: "futex-three-state",
  needsLinear: true,

  attach: (memory, _worker, linear) => futexIn(locksCode(memory, linear), memory),
} satisfies LockCompetitor;
