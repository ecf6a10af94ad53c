import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-missing-broadcast",
  title: "one of three nodes hears nothing of its peers in the middle third",
  faults: { deaf: [1] },
});
