import { plans, simulatorSurvey } from "../calls.ts";

export default simulatorSurvey(
  "simulated-10k",
  "10,000 clients for 6 h, the simulator and the scheduler together",
  plans(10_000),
);
