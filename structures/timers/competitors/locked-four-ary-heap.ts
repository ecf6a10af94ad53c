import testAndTestAndSet from "../../locks/competitors/test-and-test-and-set.ts";
import { lockedTimers } from "../parts/locked.ts";
import type { TimersCompetitor } from "../timers.contract.ts";
import fourAryHeap from "./four-ary-heap.ts";

/**
 * One 4-ary heap for all workers, behind one spin lock.
 *
 * Promise: everything the contract asks, of a crew too, each call as if at one moment; order due; never late. Any
 *   advance reports what is due, whichever worker added it.
 * Progress: blocking. Not fair: no bound holds for a worker that waits for the lock.
 * Threads: any worker that attached.
 * Cost: the heap's cost, and an exchange and an atomic store for the lock. Contended, also the waiting, which the
 *   heap's O(log n) steps make longer. advance to where the clock already is costs two atomic loads, unless a budget
 *   left timers over.
 * Memory: 16 bytes per place, and 248 bytes for the lock and the heap's own, whatever the crew.
 * Limits: a worker that dies inside stops all timers. An advance that reports many holds the lock throughout: the
 *   budget bounds it. With more workers than cores, a holder that was taken off its core is waited for on the cores.
 * Bet: falls further behind the locked wheel than the heap does behind the wheel. A worker that waits for the lock
 *   waits for the other's sifting too, and the tree's lines wander between the cores.
 * Source: Go before 1.10, one heap of timers behind one lock for the whole process (runtime/time.go); the lock is
 *   Rudolph & Segall's (1984).
 *
 *     words 0 .. 1    clock and what is left   see parts/locked.ts; written by the lock's holder, read by all
 *     word 32         lock                     see locks/test-and-test-and-set
 *     words 48 ..     heap                     see four-ary-heap; read and written plainly by the lock's holder
 */
export default lockedTimers(testAndTestAndSet, fourAryHeap, {
  summary: "one 4-ary heap for all workers behind a test-and-test-and-set spin lock",
  source: "Go before 1.10, runtime/time.go; Rudolph & Segall (1984)",
}) satisfies TimersCompetitor;
