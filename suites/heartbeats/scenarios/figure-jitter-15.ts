import { figure } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure("jitter-15", ["jitter-15"], "2nd graph of the source: up to 15 s of jitter", fleet(), [
  "firstPeak",
  "lastPeak",
  "bend",
  "worstDeviation",
  "sent",
]);
