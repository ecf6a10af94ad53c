import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** A wheel of coarse slots that files a timer into the slot its deadline lies in, and fires the slot when it begins. */
export default {
  ...honest,
  summary: "broken: rounds a deadline down to its slot",
  attach: (_memory, capacity) => new EarlyWheel(capacity),
} satisfies TimersCompetitor;

export const breaks = "neverEarly";

const TICKS_PER_SLOT = 64;

class EarlyWheel extends SortedList {
  override add(deadline: number): number {
    return super.add(this.#slotOf(deadline));
  }

  override refresh(handle: number, deadline: number): boolean {
    return super.refresh(handle, this.#slotOf(deadline));
  }

  #slotOf(deadline: number): number {
    const start = deadline & -TICKS_PER_SLOT;
    return ((start - this.clock) | 0) > 0 ? start : this.clock + 1;
  }
}
