import { Worker } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: each worker starts a thread as it attaches. */
export default {
  ...honest,
  summary: "faulty: starts a thread in attach",
  attach(memory, setup, worker) {
    new Worker("setInterval(() => {}, 1000)", { eval: true }).unref();
    return honest.attach(memory, setup, worker);
  },
} satisfies PickCompetitor;
