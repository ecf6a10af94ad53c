import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { DispatchQueue } from "../parts/queue.ts";

/**
 * One list of all clients, entered at the back and taken from the front while the front is due.
 *
 * Promise: clients entered in the order of due are taken on time. Out of that order a client waits behind those entered before it,
 *   up to the reach late.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: O(1) for every call: it touches the client's own record and the records before and after it.
 * Memory: 16 bytes per client.
 * Limits: order by deadline. That holds while all clients keep one interval from their connect on; it ends once a slot
 *   is chosen for them.
 * Bet: none; it is the first list of the source, and its defect is what the others are here to mend.
 * Source: the source document on heartbeats, "the current real implementation".
 */
export default {
  summary: "linked list, entered at the back; late once clients are entered out of order",
  source: "source document on heartbeats, its first list",
  progress: "wait-free",
  order: "by deadline",
  create: (clients, reach, start = 0) => new DispatchQueue((_memory, head) => head, clients, reach, start),
} satisfies DispatchCompetitor;
