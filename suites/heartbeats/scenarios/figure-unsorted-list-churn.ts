import { ARRIVING, ARRIVING_SMOKE, figure } from "../figures.ts";
import { appendedOnly, fleet, HOUR_S } from "../fleets.ts";

export default figure(
  "unsorted-list-churn",
  ["sequential-from-now"],
  "the 10th graph once more, with lives of 4 h on average",
  appendedOnly(
    fleet({ ...ARRIVING, churn: { kind: "lives", meanLife: 4 * HOUR_S, meanAway: 0 } }, ARRIVING_SMOKE),
  ),
  ["firstPeak", "lastPeak", "worstLateness"],
);
