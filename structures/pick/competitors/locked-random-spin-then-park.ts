import spin100ThenPark from "../../locks/competitors/spin-100-then-park.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a mutex that polls for a while before it sleeps.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: one compareExchange, four loads, four stores and one exchange. Contended, up to a hundred plain loads, and a
 *   trip through the kernel where the lock was still taken after them.
 * Memory: one stride for lock and generator together.
 * Limits: a worker that dies inside stops all picking; one that is terminated as it is woken may, until its seat is
 *   freed. Counts per backend differ by about the root of the picks.
 * Bet: the section ends within the polls, so a lock of this kind never sleeps where the plain mutex does. It also
 *   tolerates more workers than cores, which the spin locks do not.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random; the lock
 *   is Rust's (library/std/src/sys/sync/mutex/futex.rs).
 *
 *     word 0         lock        see locks/spin-100-then-park
 *     words 1 .. 4   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default lockedRandom(spin100ThenPark, {
  summary: "one shared sfc32 generator behind a futex mutex that polls 100 times before it sleeps",
  source: "Portmann, Synchronized Random; Rust, library/std/src/sys/sync/mutex/futex.rs",
}) satisfies PickCompetitor;
