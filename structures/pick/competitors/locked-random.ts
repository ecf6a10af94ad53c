import futex from "../../locks/competitors/futex-three-state.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a mutex that sleeps as soon as it is taken.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: an uncontended lock and unlock, four loads and four stores; contended, a trip through the kernel.
 * Memory: one stride for lock and generator together: the holder of the lock needs the generator next.
 * Limits: a worker that dies inside stops all picking; one that is terminated as it is woken may, until its seat is
 *   freed. Counts per backend differ by about the root of the picks.
 * Bet: "the slowest possible method", as the source has it, once there is contention.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random.
 *
 *     word 0         lock        see locks/futex-three-state
 *     words 1 .. 4   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default lockedRandom(futex, {
  summary: "one shared sfc32 generator behind a three-state futex mutex",
  source: "Portmann, Randomized Round Robin: Synchronized Random",
}) satisfies PickCompetitor;
