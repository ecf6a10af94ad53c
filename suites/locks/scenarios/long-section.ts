import { contended, MOST_THINKING_STEPS, SHORT_PASSES } from "../contending.ts";

/** As many short sections as make about 1 us where a core retires an increment or so per cycle. */
const SHORT_SECTIONS_IN_LONG = 16;

/**
 * In slices of 0.8 ms a worker holds the lock a hundred times. The beginnings of the two made up a fifth of what was
 * measured. They made the baseline's equal 1.2 times as slow as it, process after process. In these they agree within 1
 * %.
 */
const SLICE_MS = 8;

/**
 * The thinking grows with the section. The lock is then wanted for the same share of the time as in the short one, and
 * only the length of a wait differs. With the short one's thinking a long section would be a queue that is never empty.
 * Any lock is as fast in it as the section is long.
 */
export default contended(
  "long-section",
  "2,048 increments of shared words inside the lock",
  {
    passes: SHORT_SECTIONS_IN_LONG * SHORT_PASSES,
    mostThinkingSteps: SHORT_SECTIONS_IN_LONG * (MOST_THINKING_STEPS + 1) - 1,
  },
  { sliceMs: SLICE_MS },
);
