import { singleFault } from "../faults.ts";

export default singleFault({
  scenario: "fault-return-lost",
  title: "of owners A, B and A again, all news of B is lost",
  faults: { lossOfVisits: 1 },
});
