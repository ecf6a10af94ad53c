import { leasedTickets } from "../parts/lease.ts";

/**
 * Round robin over a shuffled order, each worker taking sixteen consecutive tickets at once.
 *
 * Promise: every ticket is handed out once; the gap between any two backends at rest never exceeds the number of
 *   workers and 1 more.
 * Progress: lock-free, by the fold of the counter alone; a pick that finds a ticket at hand is wait-free.
 * Threads: any worker that attached.
 * Cost: a compare, an increment and an array read; for one pick in 16 an Atomics.add and an integer remainder as well.
 * Memory: one stride for the counter, then a word per backend; privately as much again and 16 words more.
 * Limits: picks of different workers are in no common order. A worker that stops leaves up to 15 tickets unpicked,
 *   whose backends miss a turn each. The same order every rotation: request patterns are not broken up.
 * Bet: at sixteen the shared counter no longer shows, and a pick costs what a private one does.
 * Source: batching: sequence numbers taken by the range, as databases do for their own. The sequence is that of
 *   shuffled-round-robin.
 *
 * parts/lease.ts lays out the bytes.
 */
export default leasedTickets(16);
