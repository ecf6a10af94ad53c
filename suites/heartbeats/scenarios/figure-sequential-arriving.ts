import { ARRIVING, ARRIVING_SMOKE, figure } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "sequential-arriving",
  ["sequential-from-origin"],
  "8th graph of the source: slots in turn, clients arriving at 0 to 200 a second",
  fleet(ARRIVING, ARRIVING_SMOKE),
  ["peak", "low", "median", "unlikeBefore"],
);
