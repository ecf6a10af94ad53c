import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-drift",
  title: "agents' clocks drift by up to 100 ppm from the start on, so that claims are untrue",
  faults: { driftPpmMost: 100 },
});
