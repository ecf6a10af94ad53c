import { ARRIVING, ARRIVING_SMOKE, figure } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "sequential-absolute",
  ["sequential-from-now", "sequential-slot"],
  "9th graph of the source: slots in turn from the connect, and from the clock; clients arriving at 0 to 200 a second",
  fleet(ARRIVING, ARRIVING_SMOKE),
  ["peak", "low", "range", "median", "unlikeBefore"],
);
