/** What the clock itself costs and cannot see, which is part of every time that is taken with it. */

/**
 * The default for the least difference of two successive readings of a clock, in nanoseconds. It is what
 * `measureClockTick` finds for `performance.now` and `process.hrtime.bigint` on common servers.
 */
export const USUAL_CLOCK_TICK = 40;

/** Of a time of fewer ticks than this, at least a fifth is the clock's own reading. */
export const FEW_TICKS = 5;

/** Pairs of readings; the first thousands are slow, because the loop is not compiled yet. */
const PAIRS = 20_000;

/**
 * The least difference of two successive readings of a clock, in nanoseconds: its resolution or what a reading costs,
 * whichever is more. Takes a few milliseconds.
 *
 * @param now reads the clock, in milliseconds. Default: `performance.now`.
 * @throws {Error} if the clock stands still.
 */
export function measureClockTick(now: () => number = () => performance.now()): number {
  let least = Number.POSITIVE_INFINITY;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const before = now();
    const elapsed = now() - before;
    if (elapsed > 0) least = Math.min(least, elapsed);
  }
  if (least === Number.POSITIVE_INFINITY)
    throw new Error(`the clock stood still for ${PAIRS} pairs of readings`);
  return least * 1e6;
}
