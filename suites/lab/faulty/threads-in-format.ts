import { Worker } from "node:worker_threads";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: starts a thread as it is formatted, and does not report it. */
export default {
  ...honest,
  summary: "faulty: starts a thread in format",
  format() {
    new Worker("setInterval(() => {}, 1000)", { eval: true }).unref();
  },
} satisfies PickCompetitor;
