import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Keeps what is added between two ticks in a batch, and cuts the batch off where one of it is cancelled. */
export default {
  ...honest,
  summary: "broken: loses the batch that a cancelled timer waits in",
  attach: (_memory, capacity) => new BatchLoser(capacity),
} satisfies TimersCompetitor;

export const breaks = "conserved";

class BatchLoser extends SortedList {
  readonly #batch = new Set<number>();

  override add(deadline: number): number {
    const handle = super.add(deadline);
    this.#batch.add(handle);
    return handle;
  }

  override cancel(handle: number): boolean {
    const done = super.cancel(handle);
    if (!this.#batch.has(handle)) return done;
    for (const waiting of this.#batch) super.cancel(waiting);
    this.#batch.clear();
    return done;
  }

  override advance(now: number, out: Int32Array, budget: number): number {
    this.#batch.clear();
    return super.advance(now, out, budget);
  }
}
