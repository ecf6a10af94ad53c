import type { Scenario } from "../../shared/vocabulary.ts";
import { type FaultScenario, MINUTE_MS, singleFault } from "../faults.ts";

type Rest = Partial<Pick<FaultScenario, "fleet" | "horizonMs" | "showsRestart">>;

const late = (msMean: number) => ({ delay: { kind: "exponential", msMean } }) as const;
const HEAVY = { kind: "pareto", msLeast: 1000, shape: 1.1 } as const;
/** Longer than others: addresses are free more often, and nobody calls from one that is. */
const SHORT_LIVES: Rest = { fleet: { ownershipMsMean: 30_000 }, horizonMs: 190 * MINUTE_MS };

const FAULTS: readonly (readonly [
  word: string,
  title: string,
  faults: FaultScenario["faults"],
  rest?: Rest,
])[] = [
  ["none", "nothing goes wrong", {}],
  ["loss", "10 % of the news is lost, each piece by itself", { loss: 0.1 }],
  ["delay-60s", "news is delayed, exponentially, by 60 s on average", late(60_000)],
  ["delay-300s", "news is delayed, exponentially, by 300 s on average before a cut at 600 s", late(300_000)],
  [
    "heavy-tail",
    "news is delayed by 1 s at least, with a heavy tail: 1 % by more than a minute, none by more than ten",
    { delay: HEAVY },
  ],
  [
    "duplicates",
    "half of the news comes twice, the second copy later, exponentially, by 10 s on average",
    { duplicated: 0.5 },
  ],
  [
    "reordering",
    "each node hears each piece of news up to 10 s later, so in an order of its own",
    { reorderedMsMost: 10_000 },
  ],
  [
    "short-owners",
    "addresses change hands after 30 s on average, twice in a reporting interval",
    {},
    SHORT_LIVES,
  ],
  ["return-lost", "of owners A, B and A again, all news of B is lost", { lossOfVisits: 1 }],
  ["restart", "all nodes start again from nothing halfway", { restarted: [0, 1, 2] }, { showsRestart: true }],
  ["missing-broadcast", "one of three nodes hears nothing of its peers in the middle third", { deaf: [1] }],
  [
    "long-flows",
    "half of the flows are long, and reported only when they close",
    {},
    { fleet: { longShare: 0.5 } },
  ],
  ["skew", "agents' clocks are wrong by up to 1 s, so that claims are untrue", { skewMsMost: 1000 }],
  [
    "drift",
    "agents' clocks drift by up to 100 ppm from the start on, so that claims are untrue",
    { driftPpmMost: 100 },
  ],
  ["step", "agents' clocks jump by up to 10 s halfway, so that claims are untrue", { stepMsMost: 10_000 }],
];

export default FAULTS.map(
  ([word, title, faults, rest]): Scenario =>
    singleFault({ scenario: `fault-${word}`, title, faults, ...rest }),
);
