import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: what does a deadline for each request cost, when nearly all requests are done in time?
 * Workload: one worker on a real event loop. `met`: a request is awaited and ends at once, and its deadline of 5 s is
 *   cancelled: all that is left is the deadline's own cost. `many-pending`: 100,000 requests are under way, and the one that
 *   ends is drawn from all; another begins in its place. A turn of the event loop is taken each 256 requests, so that what
 *   a runtime collects by finalizers is collected while the race is on. `held` counts bytes: of 10,000 deadlines that are
 *   pending, and of what is left of them when all requests are done, with a caller's signal that outlives them.
 * Not measured: requests themselves; how late a signal is aborted, which npm test looks at.
 * How to run: npm run bench -- deadlines
 */
export default {
  primitive: "deadlines",
  order: ["met", "many-pending", "held"],
} satisfies SuiteModule;
