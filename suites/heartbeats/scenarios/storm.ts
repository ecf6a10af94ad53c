import { AFTER_A_STORM, beyond, stormOfHalf } from "../fleets.ts";

export default beyond({
  scenario: "storm",
  title:
    "10,000 clients of which half drop out after 3 h and reconnect at once; figures are of the last two intervals of 6 h",
  headline: true,
  params: stormOfHalf(true),
  metrics: AFTER_A_STORM,
});
