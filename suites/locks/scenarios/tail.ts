import { tail } from "../../engine/suite.ts";
import { contended, SHORT_PASSES } from "../contending.ts";

/**
 * Without thinking, for the schedule says when a worker comes back. Of the rates that all locks keep up with at two
 * workers one at which they meet often: a section in each 5 us of a worker is a holder for a twentieth of the time of each
 * other worker. The same for all, so that their times compare.
 */
const INTERVAL_US = 5;

export default [1, 2, 4].map((workers) =>
  tail(
    contended("short-section", "about 50 ns of work on shared words inside the lock", {
      passes: SHORT_PASSES,
      mostThinkingSteps: 0,
    }),
    { family: "tail", workers, intervalUs: INTERVAL_US, count: { full: 200_000, smoke: 2_000 } },
  ),
);
