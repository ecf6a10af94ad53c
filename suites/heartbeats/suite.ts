import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which scheduler spreads a fleet's heartbeats most evenly over the seconds, and still does as clients come
 *   and go?
 * Workload and why it is realistic: the source document's fleet, 10,000 clients with a heartbeat every 600 s for 6 h.
 *   All connect in the same second, as after a restart of the server. Then the same with lives of 1 h on average and
 *   immediate reconnects, as behind mobile networks. The placement made at the start is gone by the end. With a minute
 *   away between lives. With half the fleet dropped and back at once after 3 h, as when one of two networks fails. And
 *   with half of it gone for good, as when it is moved to another server. The source's own ten graphs, each from the
 *   choice that makes it. Then what the calls cost one worker, and what a client takes.
 * Not measured: delay and loss on the network. How slots are given out by many workers at once, which the suite slots
 *   races. How due clients are found, which the suite dispatch races. How far JavaScript is from WebAssembly. What is
 *   simulated comes out the same in any language, and a call takes some plain steps on private arrays, with no call of
 *   Atomics among them: what WebAssembly makes of such steps, ring-of-slots of dispatch has a yardstick for.
 * How to run: npm run bench -- heartbeats; with --all for the source's graphs, the variants and the costs
 */
export default {
  primitive: "heartbeats",
  order: [
    "steady",
    "churn",
    "storm",
    "departures",
    "poisson",
    "figure",
    "beat-10k",
    "reconnect-10k",
    "bytes-100k",
  ],
  overview: {
    title: "At a glance",
    columns: [
      { title: "At rest: peak", unit: "messages/s", digits: 0, scenario: "steady", metric: "peak" },
      { title: "low", unit: "messages/s", digits: 0, scenario: "steady", metric: "low" },
      { title: "Churn: peak", unit: "messages/s", digits: 0, scenario: "churn", metric: "peak" },
      { title: "low", unit: "messages/s", digits: 0, scenario: "churn", metric: "low" },
      { title: "Storm: settled after", unit: "h", digits: 2, scenario: "storm", metric: "settled" },
      { title: "Half leave: peak / mean", unit: "", digits: 2, scenario: "departures", metric: "peakToMean" },
      { title: "Most off interval", unit: "s", digits: 0, scenario: "departures", metric: "worstDeviation" },
      { title: "Beat", unit: "ns", digits: 0, scenario: "beat-10k", workers: 1 },
      { title: "Reconnect", unit: "ns", digits: 0, scenario: "reconnect-10k", workers: 1 },
      { title: "Held", unit: "B/client", digits: 1, scenario: "bytes-100k", metric: "bytesPerClient" },
    ],
  },
} satisfies SuiteModule;
