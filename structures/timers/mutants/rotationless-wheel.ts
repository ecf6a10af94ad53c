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
  override add(deadline: number): number {
    return super.add(this.#inThisRotation(deadline));
  }

  override refresh(handle: number, deadline: number): boolean {
    return super.refresh(handle, this.#inThisRotation(deadline));
  }

  #inThisRotation(deadline: number): number {
    const delay = (deadline - this.clock) | 0;
    return delay > SLOTS ? this.clock + 1 + ((delay - 1) % SLOTS) : deadline;
  }
}
