import { expiry } from "../surveys.ts";

// Sixty thousand ticks of the first round compile enough; one tick is one call.
export default expiry("expiry-1m", "1,000,000 timers due within 60,000 ticks expire tick by tick", {
  timers: 1_000_000,
  spreadTicks: 60_000,
  rounds: 2,
});
