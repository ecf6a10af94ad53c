import { figure } from "../figures.ts";
import { fleet } from "../fleets.ts";

export default figure(
  "jitter-300",
  ["jitter-300"],
  "3rd graph of the source: up to 300 s of jitter",
  fleet(),
  ["mean", "meanOfTenSeconds", "waveFallsToTenth", "peak", "low", "sent", "worstDeviation"],
);
