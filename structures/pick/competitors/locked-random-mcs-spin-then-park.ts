import mcsSpinThenPark from "../../locks/competitors/mcs-spin-then-park.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a queue in which each waits on a line of its own.
 *
 * Promise: every pick is the next draw of one sequence, and draws are made in the order of asking; uniform to within
 *   2^-32 per backend.
 * Progress: blocking. Fair.
 * Threads: any worker that attached.
 * Cost: an exchange, four loads and four stores, and a compareExchange. Contended, a store to join the queue and an
 *   exchange to hand the lock on.
 * Memory: one stride for the tail, one for each worker's node, one for the generator.
 * Limits: a worker that dies inside, or waiting, stops all picking. The lock goes to the next in line though it be off
 *   its core. Counts per backend differ by about the root of the picks.
 * Bet: an exhibit: the queue is for many cores and long waits, and a pick is a short section on few.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random; the lock
 *   is Mellor-Crummey & Scott's (1991).
 *
 *     words 0 .. 32 * workers + 31       lock        see locks/mcs-spin-then-park
 *     words 32 * workers + 32 .. + 35    generator   sfc32 state; read and written plainly by the lock's holder
 */
export default lockedRandom(mcsSpinThenPark, {
  summary: "one shared sfc32 generator behind an MCS queue lock whose waiters poll, then sleep",
  formerly: "locked-random-mcs",
  source: "Portmann, Synchronized Random; Mellor-Crummey & Scott 1991",
}) satisfies PickCompetitor;
