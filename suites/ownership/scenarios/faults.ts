import {
  allTogether,
  clusterScenario,
  FLEET,
  FULL_LOOKUPS,
  SEEDS,
  SMALL_FLEET,
  SMALL_LOOKUPS,
} from "../faults.ts";

export default [
  clusterScenario({
    scenario: "faults-together",
    title: "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once",
    headline: false,
    seeds: SEEDS,
    secondsPerSeed: 20,
    params: allTogether(FLEET, FULL_LOOKUPS),
  }),
  clusterScenario({
    scenario: "faults-quick",
    title: "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once, for 18 min",
    headline: true,
    seeds: SEEDS,
    secondsPerSeed: 0.4,
    params: allTogether(SMALL_FLEET, SMALL_LOOKUPS),
  }),
];
