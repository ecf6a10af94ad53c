import type { TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import { conserved, neverEarly, reportedOnce, withinLateness } from "../../structures/timers/timers.laws.ts";

/** What a worker counts of its timers, whatever it does with them. Times are in ticks. */
export type Account = Readonly<
  Record<"added" | "cancelled" | "expired" | "live" | "strays" | "earlyBy" | "lateBy", number>
>;

/**
 * What such an account must say; undefined or the law that broke. Timers are set up to `longest` ticks ahead, and
 * `unwatched` ticks may pass between two looks at the clock.
 */
export function accountLaw(
  competitor: TimersCompetitor,
  { added, cancelled, expired, live, strays, earlyBy, lateBy }: Account,
  longest: number,
  unwatched: number,
): string | undefined {
  return (
    neverEarly(earlyBy) ??
    withinLateness(lateBy, competitor.lateness(longest) + unwatched) ??
    reportedOnce(strays) ??
    conserved({ added, expired, cancelled, live })
  );
}
