import honest, { SortedList } from "../competitors/sorted-list.ts";
import { placeMask } from "../parts/handles.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Looks at a handle's place only: an old handle cancels the timer that has the place now. */
export default {
  ...honest,
  summary: "broken: a stale handle cancels the place's next timer",
  attach: (_memory, capacity) => new UngenerationalHandles(capacity),
} satisfies TimersCompetitor;

export const breaks = "answersTruly";

class UngenerationalHandles extends SortedList {
  readonly #mask: number;
  /** By place: the handle given out last. */
  readonly #latest = new Map<number, number>();

  constructor(capacity: number) {
    super(capacity);
    this.#mask = placeMask(capacity);
  }

  override add(deadline: number): number {
    const handle = super.add(deadline);
    this.#latest.set(handle & this.#mask, handle);
    return handle;
  }

  override cancel(handle: number): boolean {
    return super.cancel(this.#latest.get(handle & this.#mask) ?? handle);
  }
}
