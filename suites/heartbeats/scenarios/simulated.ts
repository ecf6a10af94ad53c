import fixedInterval from "../../../structures/heartbeats/competitors/fixed-interval.ts";
import jitter300 from "../../../structures/heartbeats/competitors/jitter-300.ts";
import leastLoaded from "../../../structures/heartbeats/competitors/least-loaded.ts";
import leastLoadedRebalancing from "../../../structures/heartbeats/competitors/least-loaded-rebalancing.ts";
import randomSlot from "../../../structures/heartbeats/competitors/random-slot.ts";
import type { HeartbeatCompetitor } from "../../../structures/heartbeats/heartbeats.contract.ts";
import { plans, simulatorSurvey } from "../calls.ts";

const ONE_OF_EACH_KIND: ReadonlySet<HeartbeatCompetitor> = new Set([
  fixedInterval,
  jitter300,
  randomSlot,
  leastLoaded,
  leastLoadedRebalancing,
]);

export default [
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
      ONE_OF_EACH_KIND.has(competitor) ? undefined : "one of each kind is enough, and a second takes as long",
  ),
  simulatorSurvey(
    "simulated-10m",
    "10,000,000 clients for 40 min, the simulator and the scheduler together",
    plans(10_000_000, 2400),
    (competitor) => (competitor === leastLoaded ? undefined : "one shows that it can be done"),
  ),
];
