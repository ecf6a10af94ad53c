import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-delay-300s",
  title: "news is delayed, exponentially, by 300 s on average before a cut at 600 s",
  faults: { delay: { kind: "exponential", msMean: 300_000 } },
});
