import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** A wheel that forgot laps: whatever lies in a slot is due when the hand passes. Early for all beyond one lap. */
export default {
  ...honest,
  summary: "broken: reports a slot's timers whatever their lap",
  attach: (_memory, capacity) => new LaplessWheel(capacity),
} satisfies TimersCompetitor;

export const breaks = "neverEarly";

const SLOTS = 4096;

class LaplessWheel extends SortedList {
  override add(due: number): number {
    return super.add(this.#inThisLap(due));
  }

  override refresh(handle: number, due: number): boolean {
    return super.refresh(handle, this.#inThisLap(due));
  }

  #inThisLap(due: number): number {
    const delay = (due - this.clock) | 0;
    return delay > SLOTS ? this.clock + 1 + ((delay - 1) % SLOTS) : due;
  }
}
