import { MAIN_SIZE } from "../sizes.ts";
import { expiry } from "../surveys.ts";

export default expiry("one-tick-100k", "100,000 timers due in one tick", {
  timers: MAIN_SIZE,
  spreadTicks: 1,
  rounds: 40,
});
