import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Reports a batch from its end, as a list that is pushed and popped in front would, and still claims fifo. */
export default {
  ...honest,
  summary: "broken: claims fifo, reports the newest first",
  attach: (_memory, capacity) => new NewestFirst(capacity),
} satisfies TimersCompetitor;

export const breaks = "inOrder";

class NewestFirst extends SortedList {
  override advance(now: number, out: Int32Array, budget: number): number {
    const count = super.advance(now, out, budget);
    out.subarray(0, count).reverse();
    return count;
  }
}
