import leastLoaded from "../../../structures/heartbeats/competitors/least-loaded.ts";
import { plans, simulatorSurvey } from "../calls.ts";

export default simulatorSurvey(
  "simulated-10m",
  "10,000,000 clients for 40 min, the simulator and the scheduler together",
  plans(10_000_000, 2400),
  (competitor) => (competitor === leastLoaded ? undefined : "one shows that it can be done"),
);
