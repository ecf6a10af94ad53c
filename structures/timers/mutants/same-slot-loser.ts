import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** A wheel whose refresh links the record before it unlinks it: lost when both are the same slot. */
export default {
  ...honest,
  summary: "broken: loses a timer refreshed into the slot it left",
  attach: (_memory, capacity) => new SameSlotLoser(capacity),
} satisfies TimersCompetitor;

export const breaks = "conserved";

const SLOT_MASK = 63;

class SameSlotLoser extends SortedList {
  readonly #slots = new Map<number, number>();

  override add(deadline: number): number {
    const handle = super.add(deadline);
    this.#slots.set(handle, deadline & SLOT_MASK);
    return handle;
  }

  override refresh(handle: number, deadline: number): boolean {
    const done = super.refresh(handle, deadline);
    if (done && this.#slots.get(handle) === (deadline & SLOT_MASK)) super.cancel(handle);
    this.#slots.set(handle, deadline & SLOT_MASK);
    return done;
  }
}
