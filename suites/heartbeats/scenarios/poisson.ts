import { beyond, fleet } from "../fleets.ts";

export default beyond({
  scenario: "poisson",
  title:
    "10,000 clients that arrive at random, 100 a second on average; figures are of the last two intervals of 6 h",
  headline: false,
  params: fleet({ arrivals: { kind: "poisson", mean: 100 } }, { arrivals: { kind: "poisson", mean: 10 } }),
  metrics: ["peak", "low", "peakToMean", "cv", "settled", "meanWait"],
});
