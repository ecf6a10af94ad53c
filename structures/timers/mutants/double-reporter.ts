import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Resumes at the timer it stopped at, not after it: the last of a full batch is reported again. */
export default {
  ...honest,
  summary: "broken: after an exhausted budget reports the last timer again",
  attach: (_memory, capacity) => new DoubleReporter(capacity),
} satisfies TimersCompetitor;

export const breaks = "reportedOnce";

class DoubleReporter extends SortedList {
  #again = 0;

  override advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    if (limit === 0) return 0;
    let count = 0;
    if (this.#again !== 0) out[count++] = this.#again;
    count += super.advance(now, out.subarray(count), limit - count);
    this.#again = count === limit && this.#again === 0 ? out[count - 1]! : 0;
    return count;
  }
}
