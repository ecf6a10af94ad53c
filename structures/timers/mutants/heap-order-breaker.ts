import { mutatedIn } from "../../shared/mutated.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * A heap that puts a timer where another stood, or the same with another deadline, and sifts it down, but never up: wrong
 * when it is due sooner than its new parent.
 */
export const breaks = "inOrder";

export default {
  ...(await mutatedIn<TimersCompetitor>(
    "timers/parts/positioned-heap.ts",
    import.meta.resolve("../competitors/object-heap.ts"),
    [
      "if (((node.tick - before) | 0) < 0) rise(heap, position, node);",
      "if (false) rise(heap, position, node);",
    ],
  )),
  summary: "broken: its heap is none after a change that should move a timer up",
} satisfies TimersCompetitor;
