import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-loss",
  title: "10 % of the news is lost, each piece by itself",
  faults: { loss: 0.1 },
});
