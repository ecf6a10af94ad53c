import { Worker } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: a worker starts a thread when it has raced for a while. */
export default {
  ...honest,
  summary: "faulty: starts a thread while it races",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = worker.index === 1 ? 5_000 : Number.POSITIVE_INFINITY;
    return {
      pick() {
        if (left-- === 0) new Worker("setInterval(() => {}, 1000)", { eval: true }).unref();
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
