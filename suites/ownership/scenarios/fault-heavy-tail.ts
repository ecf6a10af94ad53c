import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-heavy-tail",
  title:
    "news is delayed by 1 s at least, with a heavy tail: 1 % by more than a minute, none by more than ten",
  faults: { delay: { kind: "pareto", msLeast: 1000, shape: 1.1 } },
});
