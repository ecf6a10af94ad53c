import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Remembers its next expiry and forgets to lower it when an earlier timer is added. */
export default {
  ...honest,
  summary: "broken: nextExpiry misses a timer added in front",
  attach: (_memory, capacity) => new StaleAlarm(capacity),
} satisfies TimersCompetitor;

export const breaks = "wakesInTime";

class StaleAlarm extends SortedList {
  #alarm: number | undefined;

  override advance(now: number, out: Int32Array, budget: number): number {
    this.#alarm = undefined;
    return super.advance(now, out, budget);
  }

  override nextExpiry(): number | undefined {
    this.#alarm ??= super.nextExpiry();
    return this.#alarm;
  }
}
