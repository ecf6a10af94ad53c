import { beyond, CHURN, CHURN_SMOKE, EVENNESS, fleet, OFF_INTERVAL } from "../fleets.ts";

const AWAY_S = 60;

export default [
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
];
