import type { Lock, LockCompetitor } from "../../locks/locks.contract.ts";
import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { bounded, drawsOfSfc32, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** A lock made of words, taken and released by two calls: what a picker can keep beside the words it protects. */
export interface WordLock extends LockCompetitor {
  attach(memory: Region, worker: WorkerIdentity): Lock;
}

/**
 * One sfc32 generator for all workers behind a lock, in the words after it. The locked randoms differ in nothing but
 * the lock. So their rows show how the locks differ with a section of four loads and four stores.
 *
 * A worker thread runs one competitor. So `mutex` is of one shape there, and its calls are inlined as if this were
 * written out in each file.
 */
export function lockedRandom(
  lock: WordLock,
  traits: Pick<PickCompetitor, "summary" | "source" | "formerly">,
): PickCompetitor {
  return {
    ...traits,
    progress: lock.progress,
    ...(lock.sleepWord === undefined ? {} : { sleepWord: lock.sleepWord }),
    order: "random",
    breaksPatterns: true,
    tickets: "linearizable",
    gapBound: () => Number.POSITIVE_INFINITY,
    wrapPoints: () => [],
    dependsOnBackends: false,

    words: ({ workers }) => wholeStrides(afterLock(lock, workers) + SFC32_WORDS),

    format(memory, { seed, workers }) {
      const generator = afterLock(lock, workers);
      lock.format(memory.subarray(0, generator), workers);
      seedSfc32(memory, generator, seed);
    },

    attach(memory, { backends, workers }, worker) {
      const generator = afterLock(lock, workers);
      const mutex = lock.attach(memory.subarray(0, generator), worker);
      return {
        pick() {
          mutex.lock();
          // Plain accesses, never stale: only the lock's holder makes any, and taking the lock orders them after those
          // of the holder before.
          const bits = nextSfc32(memory, generator);
          mutex.unlock();
          return bounded(bits, backends);
        },
        counters: () => ({ spins: mutex.spins, parks: mutex.parks }),
      };
    },

    inspect: (memory, { workers }) => ({
      handedOut: { count: drawsOfSfc32(memory, afterLock(lock, workers)), modulo: 2 ** 32 },
    }),
  };
}

/**
 * The word where that begins which a lock at word 0 protects. A lock of one word shares its stride: the holder of the
 * lock wants the rest next, and finds it in the same line. A larger lock has its words apart so that waiters leave its
 * holder alone. Its holder's data must not undo that, so they come after its whole strides.
 */
export function afterLock(lock: WordLock, workers: number): number {
  const words = lock.words(workers);
  return words === 1 ? 1 : wholeStrides(words);
}

if (1 + SFC32_WORDS > STRIDE_WORDS) throw new Error("lock and generator no longer fit one stride");
