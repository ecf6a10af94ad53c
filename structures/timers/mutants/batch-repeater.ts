import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Keeps what is added between two ticks in a batch, and registers each batch at two ticks in a row. */
export default {
  ...honest,
  summary: "broken: registers each batch of new timers twice",
  attach: (_memory, capacity) => new BatchRepeater(capacity),
} satisfies TimersCompetitor;

export const breaks = "reportedOnce";

class BatchRepeater extends SortedList {
  readonly #batch = new Set<number>();
  /** Those of the last batch that were reported at once. */
  #again: number[] = [];

  override add(deadline: number): number {
    const handle = super.add(deadline);
    this.#batch.add(handle);
    return handle;
  }

  override advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    let count = super.advance(now, out, limit);
    const reported = Array.from(out.subarray(0, count));
    for (const handle of this.#again) if (count < limit) out[count++] = handle;
    this.#again = reported.filter((handle) => this.#batch.has(handle));
    this.#batch.clear();
    return count;
  }
}
