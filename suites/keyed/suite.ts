import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which lock by key keeps the work on one key apart, across workers, at the least cost?
 * Workload: `many-keys`: each worker requests one of 1,024 keys at random and raises a counter under it, as carts, sessions
 *   or rows are changed by whichever worker has the request. Two workers seldom want one key. `one-hot-key`: all of them want
 *   the same. Both block the thread. `async-one-thread`: one thread awaits each request before it makes the next, and
 *   the body resolves at once. `web-locks`: two threads do so for one key and for 1,024, which the runtime's own locks can
 *   do, too.
 * Not measured: bodies that wait for something, as what they wait for is the time; a holder that dies; requests that are
 *   taken back. `web-locks` is a survey and no race: the time that one thread waits is another's work, which slices that
 *   alternate cannot tell apart. Its rows ran in processes of their own, and no verdict compares them.
 * How to run: npm run bench -- keyed
 */
export default {
  primitive: "keyed",
  order: ["many-keys", "one-hot-key", "async-one-thread", "web-locks"],
} satisfies SuiteModule;
