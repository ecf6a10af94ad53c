import type { Sizes } from "../../engine/race.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import type { Faults } from "../collector.ts";
import { MISHAPS } from "../collectors/mishaps.ts";
import {
  type MishapParams,
  mishapSurvey,
  type RatesParams,
  ratesSurvey,
  rejoinSurvey,
  type SharesParams,
  sharesSurvey,
} from "../collectors/surveys.ts";
import { MINUTE_MS, SMALL_FLEET } from "../faults.ts";
import { COMMON_LONG_SHARE, type FleetPlan } from "../fleet.ts";

/** As small as a run can be that still has owners change. */
const SMOKE_FLEET: FleetPlan = {
  resources: 60,
  owners: 20,
  horizonMs: 4 * MINUTE_MS,
  ownershipMsMean: 3 * MINUTE_MS,
  longShare: COMMON_LONG_SHARE,
};
/** Some six million flow reports: enough for each of four collectors that what is compiled first hardly counts. */
const RATE_FLEET: FleetPlan = { ...SMALL_FLEET, resources: 24_000, owners: 1_000 };
/** Ten million flows; two agents report each. */
const TEN_MILLION: FleetPlan = { ...SMALL_FLEET, resources: 76_000, owners: 2_000 };
/** A collector keeps more than a million of their claims. */
const REJOIN_FLEET: FleetPlan = { ...SMALL_FLEET, resources: 6_000, owners: 1_000 };

/** Each leaves all claims true. */
const FAULTS: readonly { readonly word: string; readonly title: string; readonly faults: Partial<Faults> }[] =
  [
    { word: "none", title: "nothing goes wrong", faults: {} },
    { word: "loss", title: "10 % of the claims are lost", faults: { loss: 0.1 } },
    {
      word: "delay",
      title: "claims come later by 60 s on average",
      faults: { delay: { kind: "exponential", msMean: 60_000 } },
    },
    { word: "duplicates", title: "half of the claims come twice", faults: { duplicated: 0.5 } },
    { word: "reordering", title: "claims come later by up to 10 s", faults: { reorderedMsMost: 10_000 } },
    { word: "visits", title: "all that tells of a visit is lost", faults: { lossOfVisits: 1 } },
  ];

function sized(full: Pick<SharesParams, "fleet" | "between" | "asks"> & Partial<SharesParams>) {
  const params: SharesParams = { faults: {}, nodes: 3, ...full };
  return { full: params, smoke: { ...params, fleet: SMOKE_FLEET } } satisfies Sizes<SharesParams>;
}

function ratesOf(between: RatesParams["between"]) {
  const run = { faults: {}, fleet: RATE_FLEET, asks: "until answered" } as const;
  const full: RatesParams = { run, between, nodeCounts: [1, 2, 4] };
  const smoke: RatesParams = { run: { ...run, fleet: SMOKE_FLEET }, between, nodeCounts: [1, 2] };
  return { full, smoke } satisfies Sizes<RatesParams>;
}

const rates = [
  ratesSurvey({
    scenario: "collectors-alone",
    title: "one, two and four collectors in one thread, without transport: six million flow reports",
    params: ratesOf("nothing"),
    secondsPerFork: 60,
  }),
  ratesSurvey({
    scenario: "collectors-nats",
    title: "one, two and four collectors in processes, over NATS: six million flow reports",
    params: ratesOf("nats"),
    secondsPerFork: 120,
  }),
];

const faulty = FAULTS.map(
  ({ word, title, faults }): Scenario =>
    sharesSurvey({
      scenario: `collectors-fault-${word}`,
      title: `three collectors over NATS, beside the simulation: ${title}`,
      params: sized({ fleet: SMALL_FLEET, between: "nats", faults, asks: "at every lag" }),
      secondsPerFork: 15,
      alike: "collectors-fault",
    }),
);

const MISHAPPED: MishapParams = {
  fleet: SMALL_FLEET,
  nodes: 3,
  faults: {},
  asks: "at every lag",
  span: { from: 120, to: 180 },
};
/** Long enough to heal. */
const SMOKE_MISHAPPED: MishapParams = {
  ...MISHAPPED,
  fleet: { ...SMOKE_FLEET, horizonMs: 12 * MINUTE_MS },
  span: { from: 60, to: 120 },
};

const mishaps = (Object.keys(MISHAPS) as (keyof typeof MISHAPS)[]).map((name) =>
  mishapSurvey(`collectors-mishap-${name}`, name, { full: MISHAPPED, smoke: SMOKE_MISHAPPED }),
);

/** What any machine can do, without a server. */
const embedded = sharesSurvey({
  scenario: "collectors",
  title: "three collectors in threads, over BroadcastChannel, beside the simulation",
  params: sized({ fleet: SMALL_FLEET, between: "broadcast-channel", asks: "at every lag" }),
  secondsPerFork: 15,
});

export default [
  embedded,
  ...rates,
  ...faulty,
  ...mishaps,
  sharesSurvey({
    scenario: "collectors-many",
    title: "three collectors over NATS, beside the simulation: ten million flows",
    params: sized({ fleet: TEN_MILLION, between: "nats", asks: "until answered" }),
    secondsPerFork: 400,
    mostForks: 1,
    alike: "collectors-fault",
  }),
  rejoinSurvey({
    scenario: "collectors-rejoin",
    title: "one of three collectors over NATS is killed and comes back, with a million claims to learn",
    params: sized({ fleet: REJOIN_FLEET, between: "nats", asks: "until answered" }),
    secondsPerFork: 30,
  }),
] satisfies readonly Scenario[];
