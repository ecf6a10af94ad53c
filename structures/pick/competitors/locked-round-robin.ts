import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { afterLock, type WordLock } from "../parts/locked.ts";
import { shuffledRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * The oracle: round robin over a shuffled order, one worker at a time.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: a lock and an unlock around two plain accesses.
 * Memory: one stride for lock and position, then a word per backend.
 * Limits: a worker that dies inside stops all picking; one that is terminated as it is woken may, until its seat is
 *   freed.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook.
 *
 *     word 0         lock       see locks/futex-three-state
 *     word 1         position   next place in the rotation, 0 .. backends - 1; used plainly by the lock's holder
 *     words 32 ..    rotation    the backends in shuffled order; written by format only
 */
export default {
  summary: "oracle: round robin over a shuffled order under a mutex",
  source: "textbook",
  progress: "blocking",
  sleepWord: futex.sleepWord,
  order: "rotation",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: () => 1,
  wrapPoints: () => [],
  dependsOnBackends: true,

  words: ({ backends }) => ROTATION + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket, workers }) {
    lock.format(memory.subarray(LOCK, POSITION), workers);
    memory[POSITION] = firstTicket % backends;
    memory.set(shuffledRotation(backends, seed), ROTATION);
  },

  attach(memory, { backends }, worker) {
    const mutex = lock.attach(memory.subarray(LOCK, POSITION), worker);
    return {
      pick() {
        mutex.lock();
        // Plain accesses, never stale: only the lock's holder makes any, and taking the lock orders them after those of
        // the holder before. The rotation is read outside, as it is no longer written.
        const position = memory[POSITION]!;
        memory[POSITION] = position + 1 === backends ? 0 : position + 1;
        mutex.unlock();
        return memory[ROTATION + position]!;
      },
      counters: () => ({ spins: mutex.spins, parks: mutex.parks }),
    };
  },

  inspect(memory, { backends, firstTicket }) {
    const count = (memory[POSITION]! - (firstTicket % backends) + backends) % backends;
    return {
      handedOut: { count, modulo: backends },
      rotation: [...memory.subarray(ROTATION, ROTATION + backends)],
    };
  },
} satisfies PickCompetitor;

const lock: WordLock = futex;
const LOCK = 0;
/** The lock is one word, however many workers there are. */
const POSITION = afterLock(lock, 1);
const ROTATION = STRIDE_WORDS;
