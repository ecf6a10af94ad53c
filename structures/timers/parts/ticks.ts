/** Furthest that a timer may be set ahead of the clock: half of what wrapping int32 ticks can distinguish. */
export const HORIZON = 2 ** 30;

/** The tick at which a timer asked for `deadline` is due. Throws a RangeError when that is beyond the horizon. */
export function deadlineTick(clock: number, deadline: number): number {
  const delay = (deadline - clock) | 0;
  if (delay > HORIZON) throw new RangeError(`deadline ${delay} ticks ahead; the horizon is ${HORIZON}`);
  return (delay > 0 ? deadline : clock + 1) | 0;
}
