import fixedInterval from "../../structures/heartbeats/competitors/fixed-interval.ts";
import jitter300 from "../../structures/heartbeats/competitors/jitter-300.ts";
import leastLoaded from "../../structures/heartbeats/competitors/least-loaded.ts";
import leastLoadedRebalancing from "../../structures/heartbeats/competitors/least-loaded-rebalancing.ts";
import randomSlot from "../../structures/heartbeats/competitors/random-slot.ts";
import type { HeartbeatCompetitor } from "../../structures/heartbeats/heartbeats.contract.ts";
import type { FleetPlan } from "../../structures/heartbeats/parts/fleet.ts";
import type { Scenario, Sizes, Suite } from "../engine/suite.ts";
import { bytesSurvey, callRace, simulatorSurvey } from "./calls.ts";
import { figures } from "./figures.ts";
import { type FleetScenario, fleet, fleetScenario, HOUR_S, type MetricName } from "./fleets.ts";

/**
 * Question: which scheduler spreads a fleet's heartbeats most evenly over the seconds, and still does as clients come
 *   and go?
 * Workload and why it is realistic: the source document's fleet, 10,000 clients with a heartbeat every 600 s for 6 h,
 *   all connecting in the same second, as after a restart of the server. Then the same with lives of 1 h on average
 *   and immediate reconnects, as behind mobile networks, so that the placement made at the start is gone by the end;
 *   with a minute away between lives; with half the fleet dropped and back at once after 3 h, as when one of two
 *   networks fails; and with half of it gone for good, as when it is moved to another server. The source's own ten
 *   graphs, each from the choice that makes it. Then what the calls cost one worker, and what a client takes.
 * Not measured: delay and loss on the network; how slots are given out by many workers at once, which the suite slots
 *   races; how due clients are found, which the suite dispatch does.
 * How to run: npm run bench -- heartbeats; with --all for the source's graphs, the variants and the costs
 */
const CHURN = { kind: "lives", meanLife: HOUR_S, meanAway: 0 } as const;
const CHURN_SMOKE = { ...CHURN, meanLife: 120 };
const AWAY_S = 60;
const STORM_AT_S = 3 * HOUR_S;

const EVENNESS: readonly MetricName[] = [
  "peak",
  "low",
  "range",
  "mean",
  "peakToMean",
  "cv",
  "dispersion",
  "gini",
  "wave",
];
const OFF_INTERVAL: readonly MetricName[] = ["worstDeviation", "meanDeviation", "overASecondOff"];
const AFTER_A_STORM: readonly MetricName[] = [
  "settled",
  "peak",
  "low",
  "range",
  "peakToMean",
  "cv",
  ...OFF_INTERVAL,
];

/** Long enough for the narrowest jitter of the sweep to wear a wave down. */
const SWEEP_HOURS = 200;

export default {
  primitive: "heartbeats",
  scenarios: [
    beyond({
      scenario: "steady",
      title: "10,000 clients at rest for 6 h; figures are of the last two intervals",
      headline: true,
      params: fleet(),
      metrics: [...EVENNESS, "settled", ...OFF_INTERVAL, "meanWait", "longestWait"],
    }),
    beyond({
      scenario: "churn",
      title:
        "10,000 clients with lives of an hour that reconnect at once; figures are of the last two intervals of 6 h",
      headline: true,
      params: fleet({ churn: CHURN }, { churn: CHURN_SMOKE }),
      metrics: [...EVENNESS, "settled", ...OFF_INTERVAL, "meanWait", "longestWait"],
    }),
    beyond({
      scenario: "churn-away",
      title:
        "10,000 clients with lives of an hour that stay away for a minute; figures are of the last two intervals of 6 h",
      headline: false,
      params: fleet({ churn: { ...CHURN, meanAway: AWAY_S } }, { churn: { ...CHURN_SMOKE, meanAway: 6 } }),
      metrics: [...EVENNESS, ...OFF_INTERVAL, "meanWait"],
    }),
    beyond({
      scenario: "storm",
      title:
        "10,000 clients of which half drop out after 3 h and reconnect at once; figures are of the last two intervals of 6 h",
      headline: true,
      params: fleet({ storm: { at: STORM_AT_S, share: 0.5, returns: true } }),
      metrics: AFTER_A_STORM,
    }),
    beyond({
      scenario: "departures",
      title:
        "10,000 clients of which half leave for good after 3 h; figures are of the last two intervals of 6 h",
      headline: false,
      params: fleet({ storm: { at: STORM_AT_S, share: 0.5, returns: false } }),
      metrics: AFTER_A_STORM,
    }),
    beyond({
      scenario: "poisson",
      title:
        "10,000 clients that arrive at random, 100 a second on average; figures are of the last two intervals of 6 h",
      headline: false,
      params: fleet(
        { arrivals: { kind: "poisson", mean: 100 } },
        { arrivals: { kind: "poisson", mean: 10 } },
      ),
      metrics: ["peak", "low", "peakToMean", "cv", "settled", "meanWait"],
    }),
    fleetScenario({
      scenario: "jitter-sweep",
      title: "10,000 clients under jitter of 15 to 600 s, until their wave is worn down",
      headline: false,
      baseline: "jitter-15",
      competitors: ["jitter-15", "jitter-60", "jitter-150", "jitter-300", "jitter-600"],
      params: fleet({ horizon: SWEEP_HOURS * HOUR_S }, { horizon: 20 * HOUR_S }),
      metrics: ["waveFallsByE", "waveFallsToTenth", "settled", "sent"],
      seeds: 3,
      chart: "none",
    }),
    ...figures,
    callRace("beat-10k", "the next of 10,000 clients beats, when it is due", "beat"),
    callRace("reconnect-10k", "any of 10,000 clients leaves and connects again at once", "reconnect"),
    bytesSurvey,
    simulatorSurvey(
      "simulated-10k",
      "10,000 clients for 6 h, the simulator and the scheduler together",
      plans(10_000),
    ),
    simulatorSurvey(
      "simulated-1m",
      "1,000,000 clients for 6 h, the simulator and the scheduler together",
      plans(1_000_000),
      (competitor) =>
        ONE_OF_EACH_KIND.has(competitor)
          ? undefined
          : "one of each kind is enough, and a second takes as long",
    ),
    simulatorSurvey(
      "simulated-10m",
      "10,000,000 clients for 40 min, the simulator and the scheduler together",
      plans(10_000_000, 2400),
      (competitor) => (competitor === leastLoaded ? undefined : "one shows that it can be done"),
    ),
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
} satisfies Suite;

/** All schedulers, from enough seeds to see how far chance goes, held against the optimum for the clients there are. */
function beyond(described: Omit<FleetScenario, "baseline" | "seeds" | "chart">): Scenario {
  return fleetScenario({ ...described, baseline: "optimum", seeds: 20, chart: "minutes" });
}

function plans(clients: number, horizon = 6 * HOUR_S) {
  const { full, smoke } = fleet({ clients, horizon });
  return { full: full.plan, smoke: smoke.plan } satisfies Sizes<FleetPlan>;
}

const ONE_OF_EACH_KIND: ReadonlySet<HeartbeatCompetitor> = new Set([
  fixedInterval,
  jitter300,
  randomSlot,
  leastLoaded,
  leastLoadedRebalancing,
]);
