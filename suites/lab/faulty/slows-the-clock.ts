import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: once it has raced for a while, time passes half as fast on its threads. */
export default {
  ...honest,
  summary: "faulty: slows the clock",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    const { bigint } = process.hrtime;
    const begun = bigint();
    let left = 5_000;
    return {
      pick() {
        if (left-- === 0) process.hrtime.bigint = () => begun + (bigint() - begun) / 2n;
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
