import { allocateRegion, type Region } from "./layout.ts";

/**
 * A clock for threads that share memory: of two readings in different threads, the later one is no less. In
 * nanoseconds.
 *
 * In Node, `process.hrtime` is such a clock. In Bun and Deno it begins anew in each thread. There the clock is the time
 * since 2026, from the thread's reported start and the time since, and threads differ by under a microsecond. They
 * share a word with the latest reading, and none reads less than that. This is a hybrid logical clock (Kulkarni,
 * Demirbas, Madappa, Avva and Leone, OPODIS 2014).
 *
 * Only there, an atomic exchange on both sides of a call orders stores that the call itself may have left unordered.
 * And only there, the system's time matters: if it is set back, threads that start later lag behind. Until they have
 * caught up, their clock advances by 1 ns a reading.
 */

/** What the threads that read one clock have to share. */
export function makeCrewClock(): BigInt64Array {
  const { buffer, byteOffset } = allocateRegion(
    BigInt64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT,
  );
  return new BigInt64Array(buffer, byteOffset, 1);
}

/** The clock as this thread reads it. `own` is its own reading. */
export function readCrewClock(latest: BigInt64Array, own: OwnClock = ownClock()): () => number {
  if (own.isOneForAllThreads) return () => Number(own.readNs());
  return () => {
    for (;;) {
      const before = Atomics.load(latest, 0);
      const read = own.readNs();
      const next = read > before ? read : before + 1n;
      if (Atomics.compareExchange(latest, 0, before, next) === before) return Number(next);
    }
  };
}

/** The same in ms, by a latest reading in the two words at `at`, an even number. */
export function crewClockAt(memory: Region, at: number): () => number {
  let readNs: (() => number) | undefined;
  return () => {
    readNs ??= readCrewClock(
      new BigInt64Array(memory.buffer, memory.byteOffset + at * Int32Array.BYTES_PER_ELEMENT, 1),
    );
    return readNs() / 1e6;
  };
}

/** What a thread reads without the others. */
export interface OwnClock {
  readNs(): bigint;
  readonly isOneForAllThreads: boolean;
}

/** The part of `performance` that says when this thread started and how long ago that was. */
export interface ThreadClock {
  /** In ms since 1970. */
  readonly timeOrigin: number;
  /** In ms since then. */
  now(): number;
}

/** `process.hrtime`; if that began with this thread, the time since 2026. */
export function ownClock(
  beganWithThread: boolean = hrtimeBeganWithThread(),
  thread: ThreadClock = performance,
): OwnClock {
  if (!beganWithThread) return { readNs: () => process.hrtime.bigint(), isOneForAllThreads: true };
  const { timeOrigin } = thread;
  const originNs = nsOf(timeOrigin < EPOCH_MS ? timeOrigin : timeOrigin - EPOCH_MS);
  return { readNs: () => originNs + nsOf(thread.now()), isOneForAllThreads: false };
}

/**
 * Since 1970 a double of nanoseconds would be rounded to 256 of them; since then, to 4. A date before that is wrong, or
 * set by a test. It counts since 1970: less than 0 would be less than the word that threads share begins with.
 */
const EPOCH_MS = Date.UTC(2026);

function nsOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** In Node it never did: where it seems so, a test has put clocks of its own in place of both. */
function hrtimeBeganWithThread(): boolean {
  const { bun, deno } = process.versions;
  if (bun === undefined && deno === undefined) return false;
  return Math.abs(Number(process.hrtime.bigint()) / 1e6 - performance.now()) < SAME_START_MS;
}

/** The two clocks of a thread are read one after the other; Node's hrtime began when the machine did. */
const SAME_START_MS = 1000;
