import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: its second worker throws in the middle of a slice. */
export default {
  ...honest,
  summary: "faulty: throws",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = worker.index === 1 ? 5_000 : Number.POSITIVE_INFINITY;
    return {
      pick() {
        if (--left < 0) throw new Error("out of picks");
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
