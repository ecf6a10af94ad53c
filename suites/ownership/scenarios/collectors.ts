import type { Sizes } from "../../engine/race.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import { type RatesParams, ratesSurvey } from "../collectors/surveys.ts";
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

function ratesOf(between: RatesParams["between"]) {
  const run = { faults: {}, fleet: RATE_FLEET, asks: "until answered" } as const;
  const full: RatesParams = { run, between, nodeCounts: [1, 2, 4] };
  const smoke: RatesParams = { run: { ...run, fleet: SMOKE_FLEET }, between, nodeCounts: [1, 2] };
  return { full, smoke } satisfies Sizes<RatesParams>;
}

export default [
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
] satisfies readonly Scenario[];
