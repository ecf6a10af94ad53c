import testAndSet from "../../locks/competitors/test-and-set.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a spin lock that writes with every poll.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: one exchange, four loads, four stores and one atomic store. Contended, an exchange for every poll; each takes
 *   the line, generator included, away from the worker that is using it.
 * Memory: one stride for lock and generator together.
 * Limits: a worker that dies inside stops all picking. With more workers than cores, a holder that was taken off its
 *   core is waited for on the cores it could come back to. Counts per backend differ by about the root of the picks.
 * Bet: cheapest of the locked generators alone, as it releases with a store; slower than all that look first, once two
 *   workers pick.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random; the lock
 *   is the textbook's (Herlihy & Shavit, The Art of Multiprocessor Programming, ch. 7).
 *
 *     word 0         lock        see locks/test-and-set
 *     words 1 .. 4   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default lockedRandom(testAndSet, {
  summary: "one shared sfc32 generator behind a test-and-set spin lock",
  source: "Portmann, Synchronized Random; Herlihy & Shavit, ch. 7",
}) satisfies PickCompetitor;
