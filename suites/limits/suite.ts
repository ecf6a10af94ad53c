import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which token bucket keeps one limit for all workers at the least cost to each take?
 * Workload and why it is realistic: every worker takes one token after the other, as a server does before each request
 *   that it sends or serves. `granted`: the limit is far off, as it is most of the time, so each take changes the
 *   bucket. `denied`: the limit is reached, as in an overload, and nearly all takes are refused. `granted-alone`: one
 *   worker, with the packages that answer by promises. `by-key` and `by-key-alone`: a bucket for each of 100,000 users,
 *   drawn at random. Workers do nothing but this, which is the worst case of contention. Buckets that are split among the
 *   workers do not keep one limit; they show what sharing costs. `one-limit-2` and `one-limit-4`, surveys: the same users
 *   where threads share memory, and where processes ask their primary; both answer by promises.
 * Not measured: waiting for tokens; how tokens are spread among workers; takes of more than one token.
 * How to run: npm run bench -- limits
 */
export default {
  primitive: "limits",
  order: ["granted", "denied", "granted-alone", "by-key", "one-limit"],
} satisfies SuiteModule;
