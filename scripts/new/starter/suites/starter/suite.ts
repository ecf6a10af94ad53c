import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which way of giving numbers in turn costs least?
 * Workload: one worker takes numbers as fast as it can.
 * Not measured: what the numbers are for; several workers.
 * How to run: npm run bench -- starter
 */
export default { primitive: "starter" } satisfies SuiteModule;
