import { MINUTE_MS, singleFault } from "../faults.ts";

export default [
  singleFault({ scenario: "fault-none", title: "nothing goes wrong", faults: {} }),
  singleFault({
    scenario: "fault-loss",
    title: "10 % of the news is lost, each piece by itself",
    faults: { loss: 0.1 },
  }),
  singleFault({
    scenario: "fault-delay-60s",
    title: "news is delayed, exponentially, by 60 s on average",
    faults: { delay: { kind: "exponential", msMean: 60_000 } },
  }),
  singleFault({
    scenario: "fault-delay-300s",
    title: "news is delayed, exponentially, by 300 s on average before a cut at 600 s",
    faults: { delay: { kind: "exponential", msMean: 300_000 } },
  }),
  singleFault({
    scenario: "fault-heavy-tail",
    title:
      "news is delayed by 1 s at least, with a heavy tail: 1 % by more than a minute, none by more than ten",
    faults: { delay: { kind: "pareto", msLeast: 1000, shape: 1.1 } },
  }),
  singleFault({
    scenario: "fault-duplicates",
    title: "half of the news comes twice, the second copy later, exponentially, by 10 s on average",
    faults: { duplicated: 0.5 },
  }),
  singleFault({
    scenario: "fault-reordering",
    title: "each node hears each piece of news up to 10 s later, so in an order of its own",
    faults: { reorderedMsMost: 10_000 },
  }),
  singleFault({
    scenario: "fault-short-owners",
    title: "addresses change hands after 30 s on average, twice in a reporting interval",
    faults: {},
    fleet: { ownershipMsMean: 30_000 },
    // Longer: addresses are free more often, and nobody calls from one that is.
    horizonMs: 190 * MINUTE_MS,
  }),
  singleFault({
    scenario: "fault-return-lost",
    title: "of owners A, B and A again, all news of B is lost",
    faults: { lossOfVisits: 1 },
  }),
  singleFault({
    scenario: "fault-restart",
    title: "all nodes start again from nothing halfway",
    faults: { restarted: [0, 1, 2] },
    showsRestart: true,
  }),
  singleFault({
    scenario: "fault-missing-broadcast",
    title: "one of three nodes hears nothing of its peers in the middle third",
    faults: { deaf: [1] },
  }),
  singleFault({
    scenario: "fault-long-flows",
    title: "half of the flows are long, and reported only when they close",
    faults: {},
    fleet: { longShare: 0.5 },
  }),
  singleFault({
    scenario: "fault-skew",
    title: "agents' clocks are wrong by up to 1 s, so that claims are untrue",
    faults: { skewMsMost: 1000 },
  }),
  singleFault({
    scenario: "fault-drift",
    title: "agents' clocks drift by up to 100 ppm from the start on, so that claims are untrue",
    faults: { driftPpmMost: 100 },
  }),
  singleFault({
    scenario: "fault-step",
    title: "agents' clocks jump by up to 10 s halfway, so that claims are untrue",
    faults: { stepMsMost: 10_000 },
  }),
];
