import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which second does a connecting client get, when many workers admit clients at once and the seconds must fill
 *   evenly?
 * Workload and why it is realistic: the heartbeat document's fleet, 10,000 clients with a heartbeat every 600 s, shared by
 *   all workers. First only arrivals, as after a restart of the server, and without end, so that a slice is as long as any
 *   other. Then a fleet of constant size. Its random clients reconnect at once through the worker that they had, as
 *   behind a mobile network and a balancer that keeps clients to workers. This is the best case for free lists, above
 *   all for private ones, because a slot is free again wherever one is wanted. Then the other side: the same where they
 *   come back through any worker. Each worker's part of the fleet then grows and shrinks at random about its mean.
 *   Workers do nothing but this, which is the worst case of contention.
 * Not measured: how even connect-600 leaves the slots. How many come is a matter of speed there, and with their number
 *   the spread of random slots grows. Laws check every competitor against its claims. The reconnect scenarios, whose
 *   fleet is about as large for all, have columns. What a server does for a client besides. Clients that stay away,
 *   which no placement helps. Messages, whose rate the heartbeats suite shows second by second. Choosing which client
 *   leaves, and noting a worker's clients, is work that every row includes.
 * How to run: npm run bench -- slots
 */
export default {
  primitive: "slots",
  order: ["connect-600", "reconnect-600", "reconnect-elsewhere-600"],
} satisfies SuiteModule;
