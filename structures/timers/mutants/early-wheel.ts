import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** A wheel of coarse slots that files a timer into the slot its due tick lies in, and fires the slot when it begins. */
export default {
  ...honest,
  summary: "broken: rounds a due tick down to its slot",
  attach: (_memory, capacity) => new EarlyWheel(capacity),
} satisfies TimersCompetitor;

export const breaks = "neverEarly";

const TICKS_PER_SLOT = 64;

class EarlyWheel extends SortedList {
  override add(due: number): number {
    return super.add(this.#slotOf(due));
  }

  override refresh(handle: number, due: number): boolean {
    return super.refresh(handle, this.#slotOf(due));
  }

  #slotOf(due: number): number {
    const start = due & -TICKS_PER_SLOT;
    return ((start - this.clock) | 0) > 0 ? start : this.clock + 1;
  }
}
