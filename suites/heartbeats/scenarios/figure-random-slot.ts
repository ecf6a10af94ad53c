import { figure } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure("random-slot", ["random-slot"], "6th graph of the source: random slots", fleet(), [
  "peak",
  "low",
  "mean",
  "unlikeBefore",
]);
