import { figure, NO_CHANCE } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "sequential",
  ["sequential-from-origin"],
  "7th graph of the source: slots in turn, 12,000 clients at once",
  fleet({ clients: 12_000 }, { clients: 480 }),
  ["peak", "low"],
  NO_CHANCE,
);
