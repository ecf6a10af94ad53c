import { mutated } from "../../shared/mutated.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** The source's heap whose callback does not look at the stamp: connections heard of since are closed with the silent. */
export const breaks = "neverEarly";

export default {
  ...(await mutated<TimersCompetitor>(import.meta.resolve("../competitors/source-heap.ts"), [
    "if (((timer.deadline - timer.tick) | 0) <= 0) return false;",
    "if (timer.interval > 0) return false;",
  ])),
  summary: "broken: a timer that fires does not look whether its connection was heard",
} satisfies TimersCompetitor;
