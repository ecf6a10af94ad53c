import { ARRIVING, ARRIVING_SMOKE, figure } from "../figures.ts";
import { appendedOnly, fleet } from "../fleets.ts";

export default figure(
  "unsorted-list",
  ["sequential-from-now"],
  "10th graph of the source: slots in turn, due clients found by an append-only list",
  appendedOnly(fleet(ARRIVING, ARRIVING_SMOKE)),
  ["firstPeak", "lastPeak", "timesInOrder", "worstLateness", "unlikeBefore"],
);
