/**
 * In ms: the same in all processes of a fleet, so that what one has sent and another closed can be compared. The wall clock
 * when this process started, and monotonic from then on; within 2 ms of the others', which start in the same second.
 * CLOCK_MONOTONIC would be one for all, but Bun does not hand it out.
 */
export function sharedNowMs(): number {
  return performance.timeOrigin + performance.now();
}
