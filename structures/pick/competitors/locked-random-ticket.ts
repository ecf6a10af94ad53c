import ticket from "../../locks/competitors/ticket.ts";
import { lockedRandom } from "../parts/locked.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers, behind a lock that serves them in the order they came.
 *
 * Promise: every pick is the next draw of one sequence, and draws are made in the order of asking; uniform to within
 *   2^-32 per backend.
 * Progress: blocking. Fair.
 * Threads: any worker that attached.
 * Cost: an add and a load, four loads and four stores, and an atomic store; contended, a wait for all earlier workers.
 * Memory: two strides for the lock and one for the generator.
 * Limits: a worker that dies inside, or waiting, stops all picking. The lock goes to the next in line though it be off
 *   its core, and with more workers than cores it often is. Counts per backend differ by about the root of the picks.
 * Bet: an exhibit of what fairness costs. No worker picks twice in a row while another waits, so every pick moves the
 *   generator to another core.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Synchronized Random; the lock
 *   is Mellor-Crummey & Scott's (1991).
 *
 *     words 0 .. 63    lock        see locks/ticket
 *     words 64 .. 67   generator   sfc32 state; read and written plainly by the worker that holds the lock
 */
export default lockedRandom(ticket, {
  summary: "one shared sfc32 generator behind a ticket lock",
  source: "Portmann, Synchronized Random; Mellor-Crummey & Scott 1991",
}) satisfies PickCompetitor;
