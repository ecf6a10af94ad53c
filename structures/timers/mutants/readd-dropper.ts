import honest, { SortedList } from "../competitors/sorted-list.ts";
import { placeMask } from "../parts/handles.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Cancels by a mark on the place, found when its tick comes; the place's next timer is taken for cancelled. */
export default {
  ...honest,
  summary: "broken: drops the timer that takes a cancelled one's place",
  attach: (_memory, capacity) => new ReaddDropper(capacity),
} satisfies TimersCompetitor;

export const breaks = "withinLateness";

class ReaddDropper extends SortedList {
  readonly #mask: number;
  /** Places. */
  readonly #cancelled = new Set<number>();

  constructor(capacity: number) {
    super(capacity);
    this.#mask = placeMask(capacity);
  }

  override cancel(handle: number): boolean {
    const done = super.cancel(handle);
    if (done) this.#cancelled.add(handle & this.#mask);
    return done;
  }

  override advance(now: number, out: Int32Array, budget: number): number {
    const deadline = out.slice(0, super.advance(now, out, budget));
    const reported = deadline.filter((handle) => !this.#cancelled.delete(handle & this.#mask));
    out.set(reported);
    return reported.length;
  }
}
