import type { KeyedCompetitor } from "../keyed.contract.ts";
import { fairLock } from "../parts/fair-lock.ts";
import { striped } from "../parts/striped.ts";

/**
 * A fixed number of robust mutexes that are handed over in the order of arrival.
 *
 * Promise: that of striped-robust-futex, and that workers get a stripe in the order in which they came. A worker with many
 *   requests waits its turn for each of them.
 * Progress: blocking. Fair: between two turns of a worker that waits, every other has one at most.
 * Threads: those of striped-robust-futex.
 * Cost: free, that of striped-robust-futex. Contended, a waiter draws a ticket and writes it. The worker that releases the
 *   mutex reads the words of all workers. The next holder is asleep when it gets the mutex, and nobody works until it has
 *   woken up.
 * Memory: 256 bytes for a stripe of up to 31 workers, and four for each further one, in whole 128 bytes.
 * Limits: those of striped-robust-futex. It is made for tens of workers, not for thousands.
 * Bet: an order that nobody can jump is worth a sleep and a wake-up for each handover.
 * Source: Lamport, "A New Solution of Dijkstra's Concurrent Programming Problem" (CACM 17:8, 1974): a number for each that
 *   waits, in a word of its own, so that any may fail. Handover as in a ticket lock.
 */
export default {
  summary: "a table of robust mutexes that workers get in the order of arrival",
  source: "Lamport's bakery (1974); Guava Striped; Web Locks API",
  progress: "blocking",
  order: "arrival",
  ...striped(fairLock),
} satisfies KeyedCompetitor;
