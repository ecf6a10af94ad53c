import honest, { SortedList } from "../competitors/sorted-list.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Claims a lateness that only its nextExpiry makes use of: its advance reports what is due at once. */
export default {
  ...honest,
  summary: "broken: nextExpiry is as late as reports may be, which are not late",
  lateness: () => LATENESS,
  attach: (_memory, capacity) => new Oversleeper(capacity),
} satisfies TimersCompetitor;

export const breaks = "quietUntilExpiry";

const LATENESS = 8;

class Oversleeper extends SortedList {
  override nextExpiry(): number | undefined {
    const next = super.nextExpiry();
    return next === undefined ? undefined : (next + LATENESS) | 0;
  }
}
