import { contended, MOST_THINKING_STEPS, SHORT_PASSES, SHORT_TITLE } from "../contending.ts";

export default contended("short-section", SHORT_TITLE, {
  passes: SHORT_PASSES,
  mostThinkingSteps: MOST_THINKING_STEPS,
});
