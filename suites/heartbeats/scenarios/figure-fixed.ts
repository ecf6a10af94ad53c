import { figure, NO_CHANCE } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "fixed",
  ["fixed-interval"],
  "1st graph of the source: a fixed interval",
  fleet(),
  ["peak", "low", "spikesApart", "unlikeBefore"],
  NO_CHANCE,
);
