import { mutated } from "../../shared/mutated.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** The stamped wheel that writes a stamp also where the new deadline is before the next look, and so comes too late. */
export const breaks = "withinLateness";

export default {
  ...(await mutated<TimersCompetitor>(import.meta.resolve("../competitors/source-wheel-stamped.ts"), [
    "((tick - look) | 0) < 0",
    "this.clock === look",
  ])),
  summary: "broken: a timer moved to before its next look stays where it is",
} satisfies TimersCompetitor;
