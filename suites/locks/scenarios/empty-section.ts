import { contended, MOST_THINKING_STEPS } from "../contending.ts";

export default contended("empty-section", "one plain increment inside the lock", {
  passes: 0,
  mostThinkingSteps: MOST_THINKING_STEPS,
});
