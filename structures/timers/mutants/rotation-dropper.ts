import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** A wheel whose tick empties the slot after reporting what is due, and so drops what is due a rotation later. */
export default {
  ...honest,
  summary: "broken: drops timers that are more than a rotation away",
  attach: (_memory, capacity) => new RotationDropper(capacity),
} satisfies TimersCompetitor;

export const breaks = "withinLateness";

const SLOTS = 4096;
/** Where a dropped timer goes: counted as live, further away than anybody waits. */
const NEVER = 2 ** 29;

class RotationDropper extends SortedList {
  override add(deadline: number): number {
    return super.add(this.#orNever(deadline));
  }

  override refresh(handle: number, deadline: number): boolean {
    return super.refresh(handle, this.#orNever(deadline));
  }

  #orNever(deadline: number): number {
    const delay = (deadline - this.clock) | 0;
    return delay > SLOTS && delay < NEVER ? this.clock + NEVER : deadline;
  }
}
