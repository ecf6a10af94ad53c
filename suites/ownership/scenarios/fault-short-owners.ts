import { MINUTE_MS, singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-short-owners",
  title: "addresses change hands after 30 s on average, twice in a reporting interval",
  faults: {},
  fleet: { ownershipMsMean: 30_000 },
  // Longer: addresses are free more often, and nobody calls from one that is.
  horizonMs: 190 * MINUTE_MS,
});
