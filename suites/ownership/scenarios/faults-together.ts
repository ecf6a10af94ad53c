import { allTogether, clusterScenario, FLEET, FULL_LOOKUPS, SEEDS } from "../faults.ts";

export default clusterScenario({
  scenario: "faults-together",
  title: "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once",
  headline: false,
  seeds: SEEDS,
  secondsPerSeed: 20,
  params: allTogether(FLEET, FULL_LOOKUPS),
});
