import { beyond, EVENNESS, fleet, OFF_INTERVAL } from "../fleets.ts";

export default beyond({
  scenario: "steady",
  title: "10,000 clients at rest for 6 h; figures are of the last two intervals",
  headline: true,
  params: fleet(),
  metrics: [...EVENNESS, "settled", ...OFF_INTERVAL, "meanWait", "longestWait"],
});
