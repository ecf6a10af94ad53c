import { allocateRegion } from "./layout.ts";

/**
 * A clock for threads that share memory: of two readings in different threads, the later one is no less. In
 * nanoseconds.
 *
 * In Node process.hrtime is such a clock. In Bun and Deno each thread has a clock that began with it. There the threads
 * share a word with the latest reading, and none reads less than that. This is a hybrid logical clock (Kulkarni,
 * Demirbas, Madappa, Avva and Leone, OPODIS 2014). Only there, an atomic exchange on both sides of a call orders stores
 * that the call itself may have left unordered.
 */

/** What the threads that read one clock have to share. */
export function makeCrewClock(): BigInt64Array {
  const { buffer, byteOffset } = allocateRegion(
    BigInt64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT,
  );
  return new BigInt64Array(buffer, byteOffset, 1);
}

/** The clock as this thread reads it. `own` is its own reading. */
export function readCrewClock(latest: BigInt64Array, own: OwnClock = HRTIME): () => number {
  if (!own.beganWithThread()) return () => Number(own.readNs());
  return () => {
    for (;;) {
      const before = Atomics.load(latest, 0);
      const read = own.readNs();
      const next = read > before ? read : before + 1n;
      if (Atomics.compareExchange(latest, 0, before, next) === before) return Number(next);
    }
  };
}

export interface OwnClock {
  readNs(): bigint;
  beganWithThread(): boolean;
}

/** `process.hrtime` of this thread. */
export const HRTIME: OwnClock = {
  readNs: () => process.hrtime.bigint(),
  beganWithThread: () => Math.abs(Number(process.hrtime.bigint()) / 1e6 - performance.now()) < SAME_START_MS,
};

/** The two clocks of a thread are read one after the other; Node's hrtime began when the machine did. */
const SAME_START_MS = 1000;
