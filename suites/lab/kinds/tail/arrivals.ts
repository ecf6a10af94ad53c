/**
 * One worker's operations on a schedule that is fixed beforehand. An operation that is due while the previous one still
 * runs is neither postponed nor left out. It begins late, and its response time counts from when it was due. Gil Tene,
 * "How NOT to measure latency" (2013), calls the mistake of counting from when it began coordinated omission.
 *
 * Until an operation is due the thread spins: timers wake later than most operations take. The empty operation shows
 * what the clock and its readings add.
 */
/** Operations of one worker: one in each of `count` intervals. */
export interface Arrivals {
  readonly intervalMs: number;
  readonly count: number;
}

export interface ArrivalSchedule extends Arrivals {
  /** When the first interval begins, by the worker's own clock, in ms. */
  readonly firstMs: number;
  /** Where in its interval each operation is due, from 0 up to 1: drawn anew for each. */
  phase(): number;
}

export interface Clock {
  nowMs(): number;
  /** Comes back when it is so late, at once if it is over; returns how late it is then. */
  waitUntil(ms: number): number;
}

/**
 * A thread's own. Not the clock that threads share: each reading of that allocates, and a waiting thread would collect
 * garbage two hundred times a second. Nor does this one unless its readings leave the loop.
 */
export const CLOCK: Clock = {
  nowMs: () => performance.now(),
  waitUntil(ms) {
    while (performance.now() < ms);
    return performance.now();
  },
};

/** Takes times in ns, at least 1: a histogram of perf_hooks. */
export interface Times {
  record(ns: number): void;
}

export interface ServedTimes {
  /** From when an operation was due to its end. */
  readonly response: Times;
  /** From its beginning to its end. */
  readonly service: Times;
}

/**
 * Its operations may take this multiple of a schedule's time. What has not begun by then is given up. It counts with
 * the time that it has waited, which is less than it would have taken.
 */
const MOST_TIMES_LONGER = 2;

/** Part of a schedule that is run before anything counts, so that code is compiled: 10,000 operations of 100,000. */
const REHEARSED = 0.1;

/** The rehearsal of a schedule. */
export function rehearsed({ intervalMs, count }: Arrivals): Arrivals {
  return { intervalMs, count: Math.ceil(REHEARSED * count) };
}

/** How long a tail takes whose operations all begin in time, in ms: of its own and of the empty operation, each rehearsed. */
export function tailMs(arrivals: Arrivals): number {
  return 2 * arrivals.intervalMs * (arrivals.count + rehearsed(arrivals).count);
}

/** Longest time that serving a schedule may take, but for its last operation, in ms. */
export function longestMs({ intervalMs, count }: Arrivals): number {
  return MOST_TIMES_LONGER * intervalMs * count;
}

/**
 * Runs each operation when it is due or, if that is over, at once. `settle` is called after each, and what it takes is in
 * the times of later ones only where it makes them late. Returns how many operations were run.
 */
export function serveArrivals(
  schedule: ArrivalSchedule,
  operate: () => void,
  settle: () => void,
  clock: Clock,
  { response, service }: ServedTimes,
): number {
  const { firstMs, intervalMs, count } = schedule;
  const giveUpMs = firstMs + longestMs(schedule);
  let served = 0;
  for (let arrival = 0; arrival < count; arrival++) {
    const dueMs = firstMs + (arrival + schedule.phase()) * intervalMs;
    const begunMs = clock.waitUntil(dueMs);
    if (begunMs > giveUpMs) {
      response.record(inNs(begunMs - dueMs));
      continue;
    }
    operate();
    const endMs = clock.nowMs();
    response.record(inNs(endMs - dueMs));
    service.record(inNs(endMs - begunMs));
    served++;
    settle();
  }
  return served;
}

/** Whole, and at least what a histogram takes: two readings of a clock may be alike. */
function inNs(ms: number): number {
  return Math.max(1, Math.round(1e6 * ms));
}
