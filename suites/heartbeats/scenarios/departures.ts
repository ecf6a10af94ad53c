import { AFTER_A_STORM, beyond, stormOfHalf } from "../fleets.ts";

export default beyond({
  scenario: "departures",
  title:
    "10,000 clients of which half leave for good after 3 h; figures are of the last two intervals of 6 h",
  headline: false,
  params: stormOfHalf(false),
  metrics: AFTER_A_STORM,
});
