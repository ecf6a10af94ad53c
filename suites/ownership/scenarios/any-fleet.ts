import { anyFleet } from "../faults.ts";

export default [
  anyFleet({
    scenario: "any-fleet-loss",
    title: "10 % of the news is lost, in twenty fleets of which nothing was chosen",
    faults: { loss: 0.1 },
  }),
  anyFleet({
    scenario: "any-fleet-delay-60s",
    title: "news is late by 60 s on average, in twenty fleets of which nothing was chosen",
    faults: { delay: { kind: "exponential", msMean: 60_000 } },
  }),
  anyFleet({
    scenario: "any-fleet-restart",
    title: "all nodes start again from nothing halfway, in twenty fleets of which nothing was chosen",
    faults: { restarted: [0, 1, 2] },
    showsRestart: true,
  }),
];
