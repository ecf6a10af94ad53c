import { allTogether, clusterScenario, FLEET, FULL_LOOKUPS } from "../faults.ts";

export default clusterScenario({
  scenario: "faults-together",
  title: "loss, delay, duplicates, reordering, lost visits, a restart and a deaf node at once",
  headline: false,
  secondsPerSeed: 40,
  params: allTogether(FLEET, FULL_LOOKUPS),
});
