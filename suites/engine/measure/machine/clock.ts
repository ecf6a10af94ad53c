/** The clock of pages, which begins with its thread and says when that was. */
export interface ThreadClock {
  /** In ms since 1970. */
  readonly timeOrigin: number;
  /** In ms since then. */
  now(): number;
}

/**
 * A clock on which the threads of a process agree, in nanoseconds as a double.
 *
 * Where `process.hrtime` is one clock for all threads it is that. It is exact up to 2^53 ns, 104 days after boot;
 * beyond that it is rounded to 2 ns, which no figure here resolves. In Bun and Deno it begins anew in each thread.
 * There it is the time since a recent epoch, from the thread's start and the time since, rounded to 4 ns. Threads then
 * differ by the errors in their reported starts, under half a microsecond in twelve threads of Bun 1.4.5 and Deno
 * 2.9.5. That moves where a worker's window lies, and not how long it is.
 *
 * Readings of two processes are never compared. A slice's own process measures what it took, and the order in which the
 * fork gave slices out shows which ones are pairs.
 */
export function sharedClock(
  beganWithThread = hrtimeBeganWithThread(),
  { timeOrigin, now }: ThreadClock = {
    timeOrigin: performance.timeOrigin,
    now: performance.now.bind(performance),
  },
): () => number {
  if (!beganWithThread) return hrtimeNs;
  const originNs = (timeOrigin - EPOCH_MS) * 1e6;
  return () => originNs + now() * 1e6;
}

/** Whether this thread's hrtime began with it. Node's began when the machine did. */
function hrtimeBeganWithThread(): boolean {
  return Math.abs(Number(process.hrtime.bigint()) / 1e6 - performance.now()) < SAME_START_MS;
}
/** The two clocks of a thread are read one after the other. */
const SAME_START_MS = 1000;

// Taken while this module is loaded: a competitor that comes later replaces them for itself alone.
const { bigint: readHrtime } = process.hrtime;
const toNumber = Number;

function hrtimeNs(): number {
  return toNumber(readHrtime());
}

/** So near that a double still resolves nanoseconds: since 1970 it would resolve quarters of a microsecond. */
const EPOCH_MS = Date.UTC(2026);

export const nowNs = sharedClock();
