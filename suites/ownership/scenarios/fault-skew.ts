import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-skew",
  title: "agents' clocks are wrong by up to 1 s, so that claims are untrue",
  faults: { skewMsMost: 1000 },
});
