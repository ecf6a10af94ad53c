import { allocateRegion } from "./layout.ts";

/**
 * A clock for threads that share memory: of two readings in different threads, the one that was made later is no less. In
 * nanoseconds.
 *
 * In Node process.hrtime is such a clock. Where each thread has one that began with it, as in Bun and Deno, the threads
 * share a word that keeps the latest reading, and none reads less than that (a hybrid logical clock: Kulkarni, Demirbas,
 * Madappa, Avva and Leone, OPODIS 2014). Only there: an atomic exchange on both sides of a call keeps stores in order
 * that the call itself may have failed to.
 */

/** What the threads that read one clock have to share. */
export function makeCrewClock(): BigInt64Array {
  const { buffer, byteOffset } = allocateRegion(
    BigInt64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT,
  );
  return new BigInt64Array(buffer, byteOffset, 1);
}

/** The clock as this thread reads it. `own` is what it has by itself. */
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
