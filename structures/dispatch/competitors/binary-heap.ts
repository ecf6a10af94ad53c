import timers from "../../timers/competitors/binary-heap.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { TimersList } from "../parts/timers.ts";

/**
 * A binary heap of clients in typed arrays: the lab's own for timers.
 *
 * Promise: everything the contract asks; clients are taken in the order of their deadlines, unless they were due when they
 *   were entered.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: O(log n) for enter, remove and take. Taking a client sinks another from the front all the way down. A client
 *   that is due after all others stays at the bottom when it is entered.
 * Memory: 28 bytes per client: 16 for its timer, 12 to know it by client.
 * Limits: 2^22 clients; the order within a second is the heap's and means nothing.
 * Bet: the usual choice for a list that has to be sorted is beaten by the sorted list itself while beats come at a
 *   fixed interval. A ring always beats it.
 * Source: timers/binary-heap, after libuv heap-inl.h.
 */
export default {
  summary: "typed-array binary heap of timers, a tick a second",
  source: "timers/binary-heap, after libuv heap-inl.h",
  progress: "wait-free",
  order: "any",
  create: (clients, reach, start = 0) => new TimersList(timers, clients, reach, start),
} satisfies DispatchCompetitor;
