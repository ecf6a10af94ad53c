import { anyFleet, TOGETHER } from "../faults.ts";

export default [
  anyFleet({
    scenario: "any-fleet-loss",
    title: "10 % of the news is lost, in a hundred fleets of which nothing was chosen",
    faults: { loss: 0.1 },
  }),
  anyFleet({
    scenario: "any-fleet-delay-60s",
    title: "news is late by 60 s on average, in a hundred fleets of which nothing was chosen",
    faults: { delay: { kind: "exponential", msMean: 60_000 } },
  }),
  anyFleet({
    scenario: "any-fleet-reordering",
    title:
      "each node hears each piece of news up to 10 s later, in a hundred fleets of which nothing was chosen",
    faults: { reorderedMsMost: 10_000 },
  }),
  anyFleet({
    scenario: "any-fleet-skew",
    title: "agents' clocks are wrong by up to 1 s, in a hundred fleets of which nothing was chosen",
    faults: { skewMsMost: 1_000 },
  }),
  anyFleet({
    scenario: "any-fleet-together",
    title:
      "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once, in a hundred fleets of which nothing was chosen",
    faults: TOGETHER,
  }),
  anyFleet({
    scenario: "any-fleet-restart",
    title: "all nodes start again from nothing halfway, in a hundred fleets of which nothing was chosen",
    faults: { restarted: [0, 1, 2] },
    showsRestart: true,
  }),
];
