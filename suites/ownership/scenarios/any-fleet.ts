import type { Scenario } from "../../shared/vocabulary.ts";
import { anyFleet, type FaultScenario, TOGETHER } from "../faults.ts";

const FAULTS: readonly (readonly [word: string, title: string, faults: FaultScenario["faults"]])[] = [
  ["loss", "10 % of the news is lost", { loss: 0.1 }],
  ["delay-60s", "news is late by 60 s on average", { delay: { kind: "exponential", msMean: 60_000 } }],
  ["reordering", "each node hears each piece of news up to 10 s later", { reorderedMsMost: 10_000 }],
  ["skew", "agents' clocks are wrong by up to 1 s", { skewMsMost: 1_000 }],
  [
    "together",
    "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once",
    TOGETHER,
  ],
  ["restart", "all nodes start again from nothing halfway", { restarted: [0, 1, 2] }],
];

export default FAULTS.map(
  ([word, title, faults]): Scenario =>
    anyFleet({
      scenario: `any-fleet-${word}`,
      title: `${title}, in a hundred fleets of which nothing was chosen`,
      faults,
      showsRestart: word === "restart",
    }),
);
