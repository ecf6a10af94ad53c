import futex from "../locks/futex-three-state.ts";
import { STRIDE_WORDS, wholeStrides } from "../shared/layout.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { shuffledLap } from "./shuffled-round-robin.ts";

/**
 * The oracle: round robin over a shuffled order, one worker at a time.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: a lock and an unlock around two plain accesses.
 * Memory: one stride for lock and position, then a word per backend.
 * Limits: a worker that dies inside stops all picking.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook.
 *
 *     word 0         lock       see locks/futex-three-state
 *     word 1         position   next place in the lap, 0 .. backends - 1; used plainly by the lock's holder
 *     words 32 ..    lap        the backends in shuffled order; written by format only
 */
export default {
  summary: "oracle: round robin over a shuffled order under a mutex",
  source: "textbook",
  progress: "blocking",
  order: "round-robin",
  tickets: "linearizable",
  gapBound: () => 1,
  wrapPoints: () => [],

  words: ({ backends }) => LAP + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket }) {
    futex.format(memory.subarray(LOCK, POSITION));
    memory[POSITION] = firstTicket % backends;
    memory.set(shuffledLap(backends, seed), LAP);
  },

  attach(memory, { backends }) {
    const mutex = futex.attach(memory.subarray(LOCK, POSITION));
    return {
      pick() {
        mutex.lock();
        const position = memory[POSITION]!;
        memory[POSITION] = position + 1 === backends ? 0 : position + 1;
        mutex.unlock();
        return memory[LAP + position]!;
      },
      counters: () => ({ spins: mutex.spins, parks: mutex.parks }),
    };
  },

  inspect(memory, { backends, firstTicket }) {
    const count = (memory[POSITION]! - (firstTicket % backends) + backends) % backends;
    return { handedOut: { count, modulo: backends }, lap: [...memory.subarray(LAP, LAP + backends)] };
  },
} satisfies PickCompetitor;

const LOCK = 0;
const POSITION = LOCK + futex.words();
const LAP = STRIDE_WORDS;
