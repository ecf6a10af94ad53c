import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: what do heartbeats cost a real server, and how late does it notice that a client is gone?
 * Workload and why it is realistic: the source document's server: WebSockets of ws on Node, one to four processes that
 *   share a port, a timeout of 30 s that every message renews. Clients are other processes of the same machine, with
 *   sockets over the loopback. They beat every 10 s, some fall silent without hanging up, half reconnect at once as
 *   after a restart, all leave. The watcher of the timeouts is what competes, and is exchanged under the live
 *   connections to see what it costs. One scenario has servers of Bun, which "npm run runtimes" installs. No watcher is compared across
 *   runtimes, and timers that are left are not seen there, because Bun does not report them. coordinator.ts has the
 *   design: which process measures what, the clock, the laws.
 * Not measured: a network, its delays and losses; TLS and compression; what a server does with a message. Server and
 *   clients share the machine's cores, which shows in delays and in connects a second, and in CPU time by its caches
 *   alone. 100,000 connections: descriptors end at 20,000 for each process here, and cores at two. fleet-20k goes five
 *   times as fast as time on 20,000 connections, and its turns ten times. Each second then has the beats, the ticks and
 *   the timeouts of 100,000 or more, on a fifth of the entries. That hides the cache misses of a structure of five
 *   times the size; timers measures those. fleet-30s goes as fast as time, to show how late the dead are closed.
 * Memory: RSS includes what the runtime's heap grew to while all connected, most of it room by then. "held" is what is
 *   live, without what sockets have outside of the heap.
 * How to run: npm run bench -- connections, 2,000 connections for 20 s; connections/fleet-20k, 20,000 and every watcher, for
 *   18 minutes
 */
export default {
  primitive: "connections",
  order: ["fleet"],
  overview: {
    title: "At a glance",
    columns: [
      { title: "CPU", unit: "us/beat", digits: 2, scenario: "fleet-20k", metric: "cpu" },
      { title: "above nobody", unit: "us/beat", digits: 2, scenario: "fleet-20k", metric: "aboveNobody" },
      { title: "give or take", unit: "us/beat", digits: 2, scenario: "fleet-20k", metric: "aboveNobodyOff" },
      { title: "RSS", unit: "kB/connection", digits: 1, scenario: "fleet-20k", metric: "rss" },
      { title: "held", unit: "kB/connection", digits: 2, scenario: "fleet-20k", metric: "held" },
      { title: "Closed after p50", unit: "s", digits: 2, scenario: "fleet-20k", metric: "closedP50" },
      { title: "max", unit: "s", digits: 2, scenario: "fleet-20k", metric: "closedMax" },
      { title: "Loop delay max", unit: "ms", digits: 1, scenario: "fleet-20k", metric: "delayMax" },
    ],
  },
} satisfies SuiteModule;
