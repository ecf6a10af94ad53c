import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-duplicates",
  title: "half of the news comes twice, the second copy later, exponentially, by 10 s on average",
  faults: { duplicated: 0.5 },
});
