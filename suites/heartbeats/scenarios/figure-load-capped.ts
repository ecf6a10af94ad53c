import { figure, NO_CHANCE } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "load-capped",
  ["load-capped"],
  "4th graph of the source: the load on top, 300 s at most; 1,000 clients",
  fleet({ clients: 1000 }),
  ["firstPeak", "lastPeak", "bend"],
  NO_CHANCE,
);
