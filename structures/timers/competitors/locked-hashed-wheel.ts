import testAndTestAndSet from "../../locks/competitors/test-and-test-and-set.ts";
import { lockedTimers } from "../parts/locked.ts";
import type { TimersCompetitor } from "../timers.contract.ts";
import hashedWheel from "./hashed-wheel.ts";

/**
 * One hashed timing wheel for all workers, behind one spin lock.
 *
 * Promise: everything the contract asks, of a crew too, each call as if at one moment; order fifo; never late. Any
 *   advance reports what is due, whichever worker added it.
 * Progress: blocking. Not fair: no bound holds for a worker that waits for the lock.
 * Threads: any worker that attached.
 * Cost: the wheel's cost, and an exchange and an atomic store for the lock; contended, also the waiting. advance to
 *   where the clock already is costs two atomic loads, unless a budget left timers over.
 * Memory: 16 bytes per place, 270 kB for the slots and 192 bytes for the lock, whatever the crew.
 * Limits: a worker that dies inside stops all timers. An advance that reports many holds the lock throughout: the
 *   budget bounds it. With more workers than cores, a holder that was taken off its core is waited for on the cores.
 * Bet: with one lock and a short section a crew keeps the better part of one worker's rate, and more workers add
 *   nothing.
 * Source: Varghese & Lauck (1987), scheme 6, and their section on symmetric multiprocessing; the lock is Rudolph &
 *   Segall's (1984).
 *
 *     words 0 .. 1    clock and what is left   see parts/locked.ts; written by the lock's holder, read by all
 *     word 32         lock                     see locks/test-and-test-and-set
 *     words 48 ..     wheel                    see hashed-wheel; read and written plainly by the lock's holder
 */
export default lockedTimers(testAndTestAndSet, hashedWheel, {
  summary: "one hashed wheel for all workers behind a test-and-test-and-set spin lock",
  source: "Varghese & Lauck (1987), scheme 6; Rudolph & Segall (1984)",
}) satisfies TimersCompetitor;
