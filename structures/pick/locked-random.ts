import futex from "../locks/futex-three-state.ts";
import { STRIDE_WORDS } from "../shared/layout.ts";
import { bounded, drawsOfSfc32, nextSfc32, SFC32_WORDS, seedSfc32 } from "../shared/sfc32.ts";
import type { PickCompetitor } from "./pick.contract.ts";

/**
 * One random generator for all workers, behind a mutex.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: an uncontended lock and unlock, four loads and four stores; contended, a trip through the kernel.
 * Memory: one stride for lock and generator together: whoever takes the lock wants the generator next.
 * Limits: a worker that dies inside stops all picking. Counts per backend differ by about the root of the picks.
 * Bet: "the slowest possible method", as the source has it, once there is contention.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random.
 *
 *     word 0         lock        see locks/futex-three-state
 *     words 1 .. 4   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default {
  summary: "one shared sfc32 generator behind a three-state futex mutex",
  source: "Portmann, Randomized Round Robin: Synchronized Random",
  progress: "blocking",
  order: "random",
  tickets: "linearizable",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],

  words: () => STRIDE_WORDS,

  format(memory, { seed }) {
    futex.format(memory.subarray(LOCK, GENERATOR));
    seedSfc32(memory, GENERATOR, seed);
  },

  attach(memory, { backends }) {
    const mutex = futex.attach(memory.subarray(LOCK, GENERATOR));
    return {
      pick() {
        mutex.lock();
        const bits = nextSfc32(memory, GENERATOR);
        mutex.unlock();
        return bounded(bits, backends);
      },
      counters: () => ({ spins: mutex.spins, parks: mutex.parks }),
    };
  },

  inspect: (memory) => ({ handedOut: { count: drawsOfSfc32(memory, GENERATOR), modulo: 2 ** 32 } }),
} satisfies PickCompetitor;

const LOCK = 0;
const GENERATOR = LOCK + futex.words();
if (GENERATOR + SFC32_WORDS > STRIDE_WORDS) throw new Error("lock and generator no longer fit one stride");
