import { contended, MOST_THINKING_STEPS, SHORT_PASSES } from "../contending.ts";

export default contended("short-section", "about 50 ns of work on shared words inside the lock", {
  passes: SHORT_PASSES,
  mostThinkingSteps: MOST_THINKING_STEPS,
});
