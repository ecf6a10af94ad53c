import type { Order } from "./timers.contract.ts";

/**
 * The laws of every timer set, as judgements on numbers that an observer kept. Each returns undefined, or one sentence
 * that says what broke and by how much. They are independent of any competitor.
 */

/** Totals that an observer kept beside a set, and what the set says of itself. */
export interface Totals {
  readonly added: number;
  readonly expired: number;
  readonly cancelled: number;
  /** `TimerSet.size`. */
  readonly live: number;
}

/** `earlyBy`: the most ticks that a report came before its deadline; 0 or less if none did. */
export function neverEarly(earlyBy: number): string | undefined {
  return earlyBy > 0 ? `a timer was reported ${earlyBy} ticks before it was due` : undefined;
}

/**
 * `lateBy`: the most ticks by which a report came after its deadline. A timer that is live after a complete advance
 * counts as reported at the next tick. A lost timer breaks this sooner or later.
 */
export function withinLateness(lateBy: number, bound: number): string | undefined {
  return lateBy > bound ? `a timer is ${lateBy} ticks late, where ${bound} are allowed` : undefined;
}

/** Every timer that was added has expired, was cancelled or is live, so `size` is right. */
export function conserved({ added, expired, cancelled, live }: Totals): string | undefined {
  const accounted = expired + cancelled + live;
  if (accounted === added) return undefined;
  return `of ${added} timers ${expired} expired, ${cancelled} were cancelled and ${live} are live: ${accounted}`;
}

/** `strays`: reports of handles that were not live: reported before, cancelled, or never given out. */
export function reportedOnce(strays: number): string | undefined {
  return strays > 0 ? `${strays} reports were of timers no longer live` : undefined;
}

/** `wrongAnswers`: cancels and refreshes that refused a live timer or accepted a dead one. */
export function answersTruly(wrongAnswers: number): string | undefined {
  return wrongAnswers > 0 ? `${wrongAnswers} cancels or refreshes had the wrong answer` : undefined;
}

/**
 * Whether a report may follow another. Each is given by its deadline and by its rank among all adds and refreshes, in
 * the order in which they were made.
 */
export function inOrder(
  order: Order,
  earlier: { readonly deadline: number; readonly rank: number },
  later: { readonly deadline: number; readonly rank: number },
): string | undefined {
  const behind = (earlier.deadline - later.deadline) | 0;
  if (order !== "none" && behind > 0) return `a timer was reported after one deadline ${behind} ticks later`;
  if (order === "fifo" && behind === 0 && earlier.rank > later.rank) {
    return "a timer was reported after a younger one of the same tick";
  }
  return undefined;
}

/**
 * `wait`: ticks from the clock to what nextExpiry returned, undefined where it returned undefined. `allowed`: ticks
 * from the clock to the last tick at which the next report keeps its promise. It is Infinity where none is promised,
 * undefined where no timer is live.
 */
export function wakesInTime(wait: number | undefined, allowed: number | undefined): string | undefined {
  if (allowed === undefined || allowed === Number.POSITIVE_INFINITY) return undefined;
  if (wait === undefined) return "nextExpiry knows of no timer while one is live";
  return wait > allowed ? `nextExpiry is ${wait - allowed} ticks too late` : undefined;
}

/** `reports`: the reports of an advance that did not reach what nextExpiry had returned right before. */
export function quietUntilExpiry(reports: number): string | undefined {
  return reports > 0 ? `${reports} timers were reported before nextExpiry` : undefined;
}

/**
 * `wait`: as in wakesInTime; `leftOver`: timers that were due when a budget ended the last advance, and have been neither
 * cancelled nor refreshed since.
 */
export function wakesForLeftovers(wait: number | undefined, leftOver: number): string | undefined {
  return wait === 0 && leftOver === 0
    ? "nextExpiry is the clock, where no budget left a timer over"
    : undefined;
}
