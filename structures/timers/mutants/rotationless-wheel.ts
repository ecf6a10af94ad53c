import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * A wheel that forgot rotations: whatever lies in a slot is due when the hand passes. Early for all beyond one
 * rotation.
 */
export default {
  ...honest,
  summary: "broken: reports a slot's timers whatever their rotation",
  attach: (_memory, capacity) => new RotationlessWheel(capacity),
} satisfies TimersCompetitor;

export const breaks = "neverEarly";

const SLOTS = 4096;

class RotationlessWheel extends SortedList {
  override add(due: number): number {
    return super.add(this.#inThisRotation(due));
  }

  override refresh(handle: number, due: number): boolean {
    return super.refresh(handle, this.#inThisRotation(due));
  }

  #inThisRotation(due: number): number {
    const delay = (due - this.clock) | 0;
    return delay > SLOTS ? this.clock + 1 + ((delay - 1) % SLOTS) : due;
  }
}
