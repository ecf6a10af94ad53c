import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-restart",
  title: "all nodes start again from nothing halfway",
  faults: { restarted: [0, 1, 2] },
  showsRestart: true,
});
