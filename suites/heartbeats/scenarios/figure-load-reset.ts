import { figure, NO_CHANCE } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "load-reset",
  ["load-reset"],
  "5th graph of the source: the load on top, nothing above 300 s; 1,000 clients",
  fleet({ clients: 1000 }),
  ["firstPeak", "lastPeak", "bend"],
  NO_CHANCE,
);
