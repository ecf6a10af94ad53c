import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { afterLock, type WordLock } from "../parts/locked.ts";
import { sumOf, weightsOf } from "../parts/weights.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * nginx's smooth weighted round robin under a mutex. Every pick credits each backend its weight, takes the one with the
 * most credit, and debits it the sum of all weights.
 *
 * Promise: no backend ever has a whole pick more than its share, nor misses more of it than shown below. Picks of heavy
 *   backends are spread among the others'.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: a lock and an unlock around a load and a store for each backend.
 * Memory: one stride for lock and count, then a word per backend; the weights are private to each worker.
 * Limits: the time under the lock grows with the number of backends. Weights that add up to 2^26 at most. A worker
 *   that dies inside stops all picking; one that is terminated as it is woken may, until its seat is freed. The order is
 *   fixed by the weights, so a request pattern is not broken up. Every instance begins with a backend of the largest
 *   weight; the seed draws which of several.
 * Bet: the smoothest order, and the most expensive: loses to the static stride at any number of backends once workers
 *   contend.
 * Source: nginx, "Upstream: smooth weighted round-robin balancing" (M. Dounin, 2012),
 *   src/http/ngx_http_upstream_round_robin.c.
 *
 *     word 0         lock      see locks/futex-three-state
 *     word 1         picks     made since format, modulo 2^32           plainly, by the lock's holder
 *     words 32 ..    credits   by place; they add up to 0 at rest       plainly, by the lock's holder
 *
 * Places are the backends in the order of their numbers, round from one that the seed draws. Of several that have the
 * most credit, the first place is picked.
 */
export default {
  summary: "weighted: credits under a mutex, the largest is picked",
  source: "nginx, smooth weighted round-robin balancing (2012)",
  progress: "blocking",
  sleepWord: futex.sleepWord,
  order: "weighted",
  breaksPatterns: false,
  tickets: "linearizable",
  // Of two backends of equal weight the one with fewer picks has more credit, so the other is not picked before it.
  gapBound: () => 1,
  wrapPoints: () => [],
  dependsOnBackends: true,

  /**
   * A backend's credit is W times what it is short of its share, W being the sum of the weights. It got T w and paid W
   * for each pick. The backend that pays had the most credit, which was positive since all add up to W then. So no
   * credit falls to -W, and no backend is a whole pick ahead.
   *
   * How far behind? Let A(k) be the most credit, in units of W, that the k richest ever have on average at rest. All of
   * them have 0: A(N) = 0. After a pick, look at the k richest. If the payer is one of them, they gained no more than it
   * paid, so they had as much before. If not, it had as much as each of them before it paid. On average they have at
   * most what they had together with it then, which is A(k + 1) + 1 / (k + 1) since it paid 1. Hence A(1) <= 1/2 + 1/3
   * + .. + 1/N.
   */
  shareBound({ backends }) {
    let behind = 0;
    for (let rank = 2; rank <= backends; rank++) behind += 1 / rank;
    return Math.max(1, behind);
  },

  // Credits stay within (1/2 + .. + 1/N + 1) times the sum of the weights, below 2^4 times it for 2^20 backends.
  refuses: (setup) =>
    sumOf(weightsOf(setup)) > 2 ** 26 ? "the weights add up to more than 2^26" : undefined,

  words: ({ backends }) => CREDITS + wholeStrides(backends),

  format(memory, { backends, workers }) {
    lock.format(memory.subarray(LOCK, PICKS), workers);
    memory[PICKS] = 0;
    memory.fill(0, CREDITS, CREDITS + backends);
  },

  attach(memory, setup, worker) {
    const mutex = lock.attach(memory.subarray(LOCK, PICKS), worker);
    const credits = memory.subarray(CREDITS, CREDITS + setup.backends);
    const first = firstOf(setup);
    const byBackend = weightsOf(setup);
    const weights = Int32Array.from(byBackend, (_, place) => byBackend[(place + first) % setup.backends]!);
    const sum = sumOf(weightsOf(setup));
    return {
      pick() {
        mutex.lock();
        // Plain accesses, never stale: only the lock's holder makes any, and taking the lock orders them after those of
        // the holder before.
        let richest = 0;
        let most = Number.MIN_SAFE_INTEGER;
        for (let place = 0; place < weights.length; place++) {
          const credit = credits[place]! + weights[place]!;
          credits[place] = credit;
          if (credit > most) {
            most = credit;
            richest = place;
          }
        }
        credits[richest] = most - sum;
        memory[PICKS] = memory[PICKS]! + 1;
        mutex.unlock();
        const backend = first + richest;
        return backend < weights.length ? backend : backend - weights.length;
      },
      counters: () => ({ spins: mutex.spins, parks: mutex.parks }),
    };
  },

  inspect: (memory) => ({ handedOut: { count: memory[PICKS]! >>> 0, modulo: 2 ** 32 } }),
} satisfies PickCompetitor;

/** The backend at the first place. */
function firstOf({ backends, seed }: PickSetup): number {
  return new Random(seed).below(backends);
}

const lock: WordLock = futex;
const LOCK = 0;
/** The lock is one word, however many workers there are. */
const PICKS = afterLock(lock, 1);
const CREDITS = STRIDE_WORDS;
