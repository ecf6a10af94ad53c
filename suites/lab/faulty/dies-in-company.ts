import { threadId } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Of a crew alone in its process the threads are the first ones. */
const FIRST_THREADS = 2;

/** Faulty: takes the process with it where other crews are in it. */
export default {
  ...honest,
  summary: "faulty: dies in company",
  attach: (...asked) =>
    threadId > FIRST_THREADS
      ? { pick: () => process.kill(process.pid, "SIGKILL") as never }
      : honest.attach(...asked),
} satisfies PickCompetitor;
