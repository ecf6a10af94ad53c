import { tail } from "../../shared/vocabulary.ts";
import { contended, SHORT_PASSES, SHORT_TITLE } from "../contending.ts";

/**
 * One rate for all, so that their times compare. It is so low that every lock keeps up where each worker has a core. It
 * is a seventh or less of what any of them did at two workers (short-section). A queue that grows for as long as it is
 * watched has no percentiles. Yet workers meet often, as sections are a fiftieth of the time of each. Without thinking,
 * for the schedule says when a worker comes back.
 */
const INTERVAL_US = 5;

export default [1, 2, 4].map((workers) =>
  tail(
    contended("short-section", SHORT_TITLE, {
      passes: SHORT_PASSES,
      mostThinkingSteps: 0,
    }),
    { family: "tail", workers, intervalUs: INTERVAL_US, count: { full: 200_000, smoke: 2_000 } },
  ),
);
