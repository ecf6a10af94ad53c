/**
 * For competitors that look at all their timers every `period` ticks and at none in between. It finds which scans can
 * be left out when a clock jumps past several.
 *
 * Of `next` and every `period` ticks after it, the first tick that is not before `deadline` or is after `now`. A scan before
 * `deadline` would find nothing. Neither may be 2^31 ticks and more from `next`.
 */
export function scanFor(next: number, period: number, now: number, deadline: number): number {
  const passed = Math.floor(((now - next) | 0) / period) + 1;
  const idle = Math.ceil(((deadline - next) | 0) / period);
  return (next + Math.max(0, Math.min(passed, idle)) * period) | 0;
}

/** Further ahead than any timer may be: the wait for the nearest one where there is none. */
export const NOTHING_NEAR = 0x7fff_ffff;
