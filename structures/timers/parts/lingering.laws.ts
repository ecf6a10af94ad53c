/**
 * What a Timeouts promises of its one native timer while timeouts come and go one at a time, as pure functions over what
 * was seen of a runtime. Each returns undefined, or one sentence that says what broke and by how much.
 */

/** Native timers that were made while `changes` timeouts were set and cleared, which took `periods` of LINGER_MS. */
export function nativeTimerIsKept(made: number, changes: number, periods: number): string | undefined {
  // In each period one that lingers, and one for the timeout that is live at its end.
  const most = 2 * (Math.ceil(periods) + 1);
  return made > most
    ? `nativeTimerIsKept: ${made} native timers were made for ${changes} timeouts, ${most} are enough`
    : undefined;
}

/** Looks at which none was live and the process was kept alive. */
export function noneHoldsProcess(looks: number): string | undefined {
  return looks > 0
    ? `noneHoldsProcess: at ${looks} looks none was live and the process could not end`
    : undefined;
}

/** Looks at which one was live and the process could end. */
export function liveHoldsProcess(looks: number): string | undefined {
  return looks > 0 ? `liveHoldsProcess: at ${looks} looks one was live and the process could end` : undefined;
}

/** Native timers that are pending when none has been live for LINGER_MS. */
export function noneIsLeft(pending: number): string | undefined {
  return pending > 0 ? `noneIsLeft: ${pending} native timers are pending and none is live` : undefined;
}

/** Milliseconds by which a callback ran late, on a loop that is never late; the most of all. */
export function runsInTime(lateMs: number): string | undefined {
  return lateMs > 0 ? `runsInTime: a callback ran ${lateMs} ms late` : undefined;
}
