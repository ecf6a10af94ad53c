import type { DispatchCompetitor } from "../dispatch.contract.ts";
import { NEXT, PREVIOUS } from "../parts/links.ts";
import { DEADLINE, DispatchQueue } from "../parts/queue.ts";

/**
 * The oracle: one list of all clients, sorted by deadline; clients due in the same second stand in the order in which
 * they were entered.
 *
 * Promise: everything the contract asks; clients are taken in the order of their deadlines.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: remove and take are O(1). enter walks from the back over all clients due later. It walks over none where every
 *   client has the same interval and was just taken. It is O(n) where a connect may be due in any second.
 * Memory: 16 bytes per client.
 * Limits: at 10,000 clients a connect passes thousands of records, at 100,000 they no longer fit a near cache.
 * Bet: O(n) on connects alone is not as bad as it could be, as the source says, because a server has six beats for
 *   each.
 * Source: the source document on heartbeats, the fix it names at its end.
 */
export default {
  summary: "oracle: linked list sorted by deadline, searched from the back",
  source: "source document on heartbeats, its fix",
  progress: "wait-free",
  order: "any",
  mostOutOfOrder: 10_000,
  create: (clients, reach, start = 0) => new DispatchQueue(sortedPlace, clients, reach, start),
} satisfies DispatchCompetitor;

/**
 * From the back, because a beat with a fixed interval is due after all others and finds its place at once. Only
 * connects, and intervals with jitter, have to walk.
 */
function sortedPlace(memory: Int32Array, head: number, second: number): number {
  let previous = memory[head + PREVIOUS]!;
  while (memory[previous + DEADLINE]! > second) previous = memory[previous + PREVIOUS]!;
  return memory[previous + NEXT]!;
}
