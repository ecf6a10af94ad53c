/** Furthest that a timer may be set ahead of the clock: half of what wrapping int32 ticks can tell apart. */
export const HORIZON = 2 ** 30;

/** The tick at which a timer asked for `due` is due. Throws a RangeError when that is beyond the horizon. */
export function dueTick(clock: number, due: number): number {
  const delay = (due - clock) | 0;
  if (delay > HORIZON) throw new RangeError(`due ${delay} ticks ahead; the horizon is ${HORIZON}`);
  return (delay > 0 ? due : clock + 1) | 0;
}
