import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-long-flows",
  title: "half of the flows are long, and reported only when they close",
  faults: {},
  fleet: { longShare: 0.5 },
});
