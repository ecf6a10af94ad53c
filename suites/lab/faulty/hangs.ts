import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: its last worker sleeps for ever in its first pick, so it never reaches the gate. */
export default {
  ...honest,
  summary: "faulty: hangs",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    const forever = new Int32Array(new SharedArrayBuffer(4));
    return {
      pick() {
        if (worker.index === worker.workers - 1) Atomics.wait(forever, 0, 0);
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
