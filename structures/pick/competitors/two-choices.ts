import { STRIDE_WORDS } from "../../shared/layout.ts";
import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { assertBackend } from "../parts/weights.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * The less loaded of two backends chosen at random, by counters of the requests in flight.
 *
 * Promise: requests in flight are counted exactly. A pick goes to the one of two different backends that had fewer when
 *   it looked, every pair being as likely.
 * Progress: wait-free.
 * Threads: any worker that attached; a request may be released by another worker than the one that picked.
 * Cost: two draws, two plain loads of lines that other workers write, one Atomics.add; one Atomics.sub to release.
 * Memory: one stride for each backend, so that picks of different backends do not meet; 16 bytes private to each
 *   worker.
 * Limits: without releases it is a random pick among the least often picked. A surplus release is noticed where the
 *   backend has no other request in flight. Between look and count other workers may make the choice worse, never the
 *   counters wrong. A backend that fails its requests at once looks idle and attracts them: where backends may fail,
 *   take two-choices-ejecting.
 * Bet: spreads uneven requests far better than any order that ignores load, for little more than a random pick. Its
 *   atomic accesses are spread over as many lines as there are backends.
 * Source: M. Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing" (2001); Envoy's least-request,
 *   HAProxy's random(2) and Finagle's p2c balancers.
 *
 *     word 32 * backend   in flight   requests picked and not released   every worker: written atomically, read plainly
 */
export default {
  summary: "the less loaded of two random backends, padded in-flight counters",
  source: "Mitzenmacher 2001; Envoy, HAProxy, Finagle",
  progress: "wait-free",
  order: "load",
  breaksPatterns: true,
  tickets: "none",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: true,

  words: ({ backends }) => backends * STRIDE_WORDS,

  format(memory, { backends }) {
    for (let backend = 0; backend < backends; backend++) Atomics.store(memory, backend * STRIDE_WORDS, 0);
  },

  attach(memory, { backends, seed }, worker) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, seed, worker.seed);
    /** Backends to draw the second from: all but the first, which for a single backend is none. */
    const others = Math.max(1, backends - 1);
    return {
      pick() {
        const first = bounded(nextSfc32(state, 0), backends);
        // The backends after the first, round the ring, by a draw of their own: different from the first, and each as
        // likely as the next. With a single backend it comes round to the first itself.
        let second = first + 1 + bounded(nextSfc32(state, 0), others);
        if (second >= backends) second -= backends;
        // Plain loads, because any look at another's counter is out of date before the request is sent. A stale one can
        // only mistake the busier for the less busy, which a random pick does half of the time.
        const chosen = memory[second * STRIDE_WORDS]! < memory[first * STRIDE_WORDS]! ? second : first;
        Atomics.add(memory, chosen * STRIDE_WORDS, 1);
        return chosen;
      },
      release(backend) {
        assertBackend(backend, backends);
        if (Atomics.sub(memory, backend * STRIDE_WORDS, 1) > 0) return;
        Atomics.add(memory, backend * STRIDE_WORDS, 1);
        throw new RangeError(`backend ${backend} has no request in flight: release each pick once`);
      },
      take(backend) {
        assertBackend(backend, backends);
        Atomics.add(memory, backend * STRIDE_WORDS, 1);
      },
    };
  },

  inspect: (memory, { backends }) => ({
    inFlight: Array.from({ length: backends }, (_, backend) => Atomics.load(memory, backend * STRIDE_WORDS)),
  }),
} satisfies PickCompetitor;
