import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { ownCycles } from "../parts/cycles.ts";
import { plainRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Every worker goes round the backends by itself, in an order that it shuffles anew for every cycle.
 *
 * Promise: a worker picks every backend once in each of its cycles. The order of a cycle is a uniform permutation: no
 *   order is more likely than another by over 2^-16 for each word drawn. The gap between any two backends never exceeds
 *   the number of workers.
 * Progress: wait-free.
 * Threads: each worker uses the order and generator it attached.
 * Cost: a compare, an increment and an array read, and one step of a shuffle spread over the picks of its cycle. No
 *   shared memory, so no contention.
 * Memory: a word per backend and 16 bytes, private to each worker.
 * Limits: the pick that begins a cycle shuffles for all of it, so its time grows with the backends. No order across
 *   workers. The last backend of a cycle may be the first of the next.
 * Bet: breaks up every request pattern and keeps a gap of 1 per worker, for little more than a fixed order costs.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann): "if only shuffling once isn't
 *   enough"; Envoy's siloed workers. Several draws from one word: Brackett-Rozinsky & Lemire, "Batched Ranged Random
 *   Integer Generation" (2024), without its rejection step.
 */
export default {
  ...ownCycles,
  summary: "own round robin per worker, reshuffled every cycle",
  source: "Portmann, Randomized Round Robin: repeated shuffling; Envoy, siloed round robin",
  breaksPatterns: true,

  attach(_memory, { backends, seed }, worker) {
    const random = new Int32Array(SFC32_WORDS);
    seedSfc32(random, 0, seed, worker.seed);
    const rotation = plainRotation(backends);
    const runs = runsOf(backends);
    let position = backends;
    return {
      pick() {
        if (position === backends) {
          reshuffle(rotation, random, runs);
          position = 0;
        }
        return rotation[position++]!;
      },
    };
  },
} satisfies PickCompetitor;

/** Outcomes that one word of 2^32 may decide between, so that none is more likely than another by over 2^-16. */
const MOST_OUTCOMES = 2 ** 16;

/**
 * How many steps of the shuffle each word decides: for every word, how many backends are left to place when it is used
 * up. For 8 backends one word does for the whole shuffle.
 */
function runsOf(backends: number): Int32Array {
  const ends: number[] = [];
  let outcomes = 1;
  for (let left = backends; left > 1; left--) {
    outcomes *= left;
    if (outcomes * (left - 1) > MOST_OUTCOMES || left === 2) {
      ends.push(left - 1);
      outcomes = 1;
    }
  }
  return Int32Array.from(ends);
}

/**
 * Fisher-Yates. The high half of a word's product with a bound is the draw. The low half is uniform again and serves
 * the next bound, for as long as all the bounds together leave enough of it.
 */
function reshuffle(rotation: Int32Array, random: Int32Array, runs: Int32Array): void {
  let left = rotation.length;
  for (let run = 0; run < runs.length; run++) {
    let word = nextSfc32(random, 0);
    for (const end = runs[run]!; left > end; left--) {
      const other = left > MOST_OUTCOMES ? bounded(word, left) : highHalf(word, left);
      word = Math.imul(word, left);
      const backend = rotation[left - 1]!;
      rotation[left - 1] = rotation[other]!;
      rotation[other] = backend;
    }
  }
}

/** `bounded` for bounds up to 2^16, in integers alone: the shuffle is most of a pick's cost, and this most of a step's. */
function highHalf(word: number, bound: number): number {
  return (Math.imul(word >>> 16, bound) + (Math.imul(word & 0xffff, bound) >>> 16)) >>> 16;
}
