/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke and
 * by how much.
 */

/** Milliseconds by which a signal was aborted before its time was over, the most of all. */
export function neverEarly(earlyMs: number): string | undefined {
  return earlyMs > 0 ? `neverEarly: a signal was aborted ${earlyMs} ms early` : undefined;
}

/** Milliseconds by which a signal was aborted too late, the most of all; Infinity where one never was. */
export function abortsInTime(lateMs: number, latenessMs: number): string | undefined {
  return lateMs > latenessMs
    ? `abortsInTime: a signal was aborted ${lateMs} ms after its time was over, ${latenessMs} ms are promised`
    : undefined;
}

/** Signals that were aborted although their deadlines had been cancelled. */
export function cancelledStays(aborted: number): string | undefined {
  return aborted > 0
    ? `cancelledStays: ${aborted} signals were aborted after they were cancelled`
    : undefined;
}

/** Timers of the loop, and listeners at callers' signals, that are there when all deadlines are over. */
export function leavesNothing(timers: number, listeners: number): string | undefined {
  return timers > 0 || listeners > 0
    ? `leavesNothing: ${timers} timers and ${listeners} listeners are left`
    : undefined;
}

/** Signals whose time was over and whose reason was no TimeoutError. */
export function reasonIsTimeout(others: number): string | undefined {
  return others > 0
    ? `reasonIsTimeout: ${others} signals have another reason than a TimeoutError`
    : undefined;
}

/** Pending deadlines whose caller was aborted, and that were not, at once and with its reason. */
export function followsCaller(others: number): string | undefined {
  return others > 0
    ? `followsCaller: ${others} signals were not aborted with their caller, for its reason`
    : undefined;
}

/** Looks at which deadlines alone kept the process alive. */
export function letsProcessEnd(looks: number): string | undefined {
  return looks > 0 ? `letsProcessEnd: at ${looks} looks deadlines kept the process alive` : undefined;
}
