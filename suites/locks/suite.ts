import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which lock lets one worker at a time through at the least cost to all of them?
 * Workload: every worker takes the lock, works on shared words, releases it and thinks on words of its own before it
 *   comes back. The words stand for a counter, a cache entry or a queue that all workers of a server share. Without the
 *   thinking the last holder would keep lock and data in its own cache and take it again before anyone else can. Lock
 *   and data lie in different lines, as they do where a lock is a library's. `after`: the same, but each worker also
 *   works by itself for 0.1, 1 or 10 us before it comes back, so the lock is mostly free. Four and eight workers are
 *   more than the cores of a small machine (with two cores both, with four cores eight). There every scenario is
 *   oversubscribed, and shows what a lock does while its holder, or the next in line, is off its core. Such groups have
 *   slices of several scheduler quanta. `tail`: times of single acquisitions of the short section that are due on a
 *   schedule, by all workers at one rate.
 * Not measured: the lock alone, because an operation is one round, thinking included (the differences between
 *   competitors are the lock's); a holder that dies; tryLock.
 * How to run: npm run bench -- locks
 */
export default {
  primitive: "locks",
  order: ["empty-section", "short-section", "long-section", "short-section-after", "tail"],
} satisfies SuiteModule;
