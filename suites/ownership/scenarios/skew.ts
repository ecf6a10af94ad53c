import { sweep } from "../faults.ts";

export default sweep({
  scenario: "skew",
  title: "the more agents' clocks are wrong",
  // Not 0, which a logarithmic axis has no place for: that is fault-none.
  along: { title: "clocks wrong by up to", unit: "ms", scale: "log", at: [1, 10, 100, 1000, 10_000] },
  faultsAt: (ms) => ({ skewMsMost: ms }),
});
