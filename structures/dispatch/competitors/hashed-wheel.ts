import timers from "../../timers/competitors/hashed-wheel.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { TimersList } from "../parts/timers.ts";

/**
 * A hashed timing wheel of 2^16 slots of one second with a bitmap of the slots in use: the lab's own for timers.
 *
 * Promise: everything the contract asks. Clients are taken in the order of their deadlines. Clients of the same second
 *   are taken in the order in which they were entered, unless they were due already then.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: O(1) for enter and remove. Where the clock moves, every client of a slot that it reaches changes lists once
 *   more; empty slots cost one bit each.
 * Memory: 28 bytes per client, 16 for its timer, 12 to know it by client; and 270 kB for the slots.
 * Limits: 2^22 clients; clients due more than 65,536 seconds ahead are visited once a rotation.
 * Bet: a general timer set costs a few times what a ring made for this costs, and still less than anything that sorts.
 * Source: timers/hashed-wheel, after Varghese & Lauck (1987), scheme 6.
 */
export default {
  summary: "2^16-slot hashed timing wheel of timers, a tick a second",
  source: "timers/hashed-wheel, after Varghese & Lauck (1987), scheme 6",
  progress: "wait-free",
  order: "any",
  create: (clients, reach, start = 0) => new TimersList(timers, clients, reach, start),
} satisfies DispatchCompetitor;
