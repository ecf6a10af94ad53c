/** A fork is slow if it takes this multiple of its expected time, and enough seconds more that a person would notice. */
const SLOW_TIMES = 2;
const NOTICEABLE_MS = 5_000;

/**
 * Watches one fork. Calls `report` once, while the fork still runs, if it is slow, with how many times as long as planned
 * it takes. One timer, and nothing else, so that the process sleeps while the fork measures. What is expected may be
 * more than was planned, since a run that goes slowly as a whole is reported once.
 */
export function watchFork(
  { plannedMs, expectedMs }: { readonly plannedMs: number; readonly expectedMs: number },
  report: (times: number) => void,
) {
  const slowMs = Math.max(SLOW_TIMES * expectedMs, expectedMs + NOTICEABLE_MS);
  let share = 1;
  const timer = setTimeout(() => report(slowMs / share / plannedMs), slowMs);
  return {
    /** The part of the fork that is done. */
    within(done: number): void {
      if (done > 0) share = Math.min(1, done);
    },
    end: () => clearTimeout(timer),
  };
}
