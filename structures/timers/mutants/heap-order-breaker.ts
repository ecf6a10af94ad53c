import { mutated } from "../../shared/mutated.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * A heap that puts a timer where another stood, or the same with another deadline, and sifts it down, but never up: wrong
 * when it is due sooner than its new parent.
 */
export const breaks = "inOrder";

export default {
  ...(await mutated<TimersCompetitor>(import.meta.resolve("../competitors/object-heap.ts"), [
    "if (((timer.deadline - before) | 0) < 0) rise(heap, position, timer);",
    "if (false) rise(heap, position, timer);",
  ])),
  summary: "broken: its heap is none after a change that should move a timer up",
} satisfies TimersCompetitor;
