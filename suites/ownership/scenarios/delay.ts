import { sweep } from "../faults.ts";

export default sweep({
  scenario: "delay",
  title: "the later news comes",
  along: {
    title: "mean delay before a cut at 600 s",
    unit: "s",
    scale: "log",
    at: [1, 10, 30, 60, 120, 300],
  },
  faultsAt: (seconds) => ({ delay: { kind: "exponential", msMean: 1000 * seconds } }),
});
