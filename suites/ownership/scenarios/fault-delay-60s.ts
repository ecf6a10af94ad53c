import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-delay-60s",
  title: "news is delayed, exponentially, by 60 s on average",
  faults: { delay: { kind: "exponential", msMean: 60_000 } },
});
