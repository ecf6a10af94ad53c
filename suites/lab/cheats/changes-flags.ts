import { setFlagsFromString } from "node:v8";
import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** A cheat: when its own code is compiled it forbids V8 to optimise any more of that of others. */
export default {
  ...honest,
  summary: "keeps V8 from optimising its rivals",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = 200_000;
    return {
      pick() {
        if (left-- === 0) setFlagsFromString("--no-turbofan");
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
