import type { Deadlines, DeadlinesCompetitor } from "../deadlines.contract.ts";

/**
 * The runtime's own: AbortSignal.timeout, and AbortSignal.any where a caller has a signal.
 *
 * Promise: aborts in time, at the runtime's own clock. **It cannot be cancelled**: a request that is done leaves signal and
 *   timer behind until they are collected, or due.
 * Progress: wait-free; what the runtime does behind its API is not counted.
 * Threads: one.
 * Cost: a native timer, a weak reference and a finalizer for each deadline, and the work of the collector.
 * Memory: a signal, a Timeout of the runtime, a weak reference, an entry in a registry. With a caller a second signal.
 * Limits: the runtime's. A signal may be aborted after its request is done.
 * Bet: what is not cancelled costs nothing now, and more later.
 * Source: DOM Standard, AbortSignal.timeout.
 */
export default {
  summary: "AbortSignal.timeout, which cannot be cancelled",
  source: "DOM Standard",
  progress: "wait-free",
  clock: "runtime",
  cancels: false,
  lateness: () => Number.POSITIVE_INFINITY,
  unavailable: () =>
    typeof AbortSignal.any === "function" ? undefined : "it has no AbortSignal.any: Node 20.3 and later do",

  create(): Deadlines {
    return {
      make(delayMs, caller) {
        const own = AbortSignal.timeout(delayMs);
        const signal = caller === undefined ? own : AbortSignal.any([caller, own]);
        return { signal, cancel() {} };
      },
    };
  },
} satisfies DeadlinesCompetitor;
