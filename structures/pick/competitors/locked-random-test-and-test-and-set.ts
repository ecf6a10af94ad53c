import testAndTestAndSet from "../../locks/competitors/test-and-test-and-set.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a spin lock that looks before it writes.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: one exchange, four loads, four stores and one atomic store; contended, plain loads while it waits and an
 *   exchange whenever the lock looks free.
 * Memory: one stride for lock and generator together: a waiter's poll fetches the generator along with the lock.
 * Limits: a worker that dies inside stops all picking. With more workers than cores, a holder that was taken off its
 *   core is waited for on the cores it could come back to. Counts per backend differ by about the root of the picks.
 * Bet: fastest of the locked generators while there is a core for every worker, because no worker sleeps and no waiter
 *   writes.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random; the lock
 *   is Rudolph & Segall's (1984).
 *
 *     word 0         lock        see locks/test-and-test-and-set
 *     words 1 .. 4   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default lockedRandom(testAndTestAndSet, {
  summary: "one shared sfc32 generator behind a test-and-test-and-set spin lock",
  source: "Portmann, Synchronized Random; Rudolph & Segall 1984",
}) satisfies PickCompetitor;
