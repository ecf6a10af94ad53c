import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-step",
  title: "agents' clocks jump by up to 10 s halfway, so that claims are untrue",
  faults: { stepMsMost: 10_000 },
});
