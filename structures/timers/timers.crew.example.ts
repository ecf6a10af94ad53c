import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachTimers, makeTimers, type TimersInstance } from "hotpath-lab/timers";
import inboxWheels from "hotpath-lab/timers/inbox-wheels";

/**
 * Two workers, each with 500 connections and a timer for each. The messages of a connection come in at the other
 * worker, which postpones its timer or ends it. Ticks are milliseconds of an invented clock. It prints:
 *
 *     due by 30000: 0; by 40000: 600
 */
const WORKERS = 2;
const CONNECTIONS = 500;
const TIMEOUT = 30_000;
const SECOND_MESSAGE = 10_000;
/** Of each worker's connections, the number that the other closes. */
const CLOSED = 200;

interface Shared {
  readonly timers: TimersInstance;
  /** By connection. */
  readonly handles: Int32Array;
  /** Workers that have come to the end of a part. */
  readonly arrived: Int32Array;
  /** Timers that were due by the first timeout, and by the second. */
  readonly due: Int32Array;
}

/** Waits until every worker has called it `times` times. */
function waitForAll({ arrived }: Shared, times: number): void {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let seen = 0; seen < times * WORKERS; seen = Atomics.load(arrived, 0)) Atomics.wait(arrived, 0, seen);
}

const shared = (words: number) => new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));

if (isMainThread) {
  const everything: Shared = {
    timers: makeTimers(inboxWheels, { capacity: WORKERS * CONNECTIONS, workers: WORKERS }),
    handles: shared(WORKERS * CONNECTIONS),
    arrived: shared(1),
    due: shared(2),
  };
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { everything, index } }), "exit"),
  );
  await Promise.all(ends);
  console.log(`due by 30000: ${everything.due[0]}; by 40000: ${everything.due[1]}`);
} else {
  const { everything, index } = workerData as { everything: Shared; index: number };
  const timers = attachTimers(inboxWheels, everything.timers, index);
  const expired = new Int32Array(CONNECTIONS);

  const own = index * CONNECTIONS;
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    Atomics.store(everything.handles, own + connection, timers.add(TIMEOUT));
  }
  waitForAll(everything, 1);

  // The other worker's connections: the first close, the rest send a message.
  const others = ((index + 1) % WORKERS) * CONNECTIONS;
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const handle = Atomics.load(everything.handles, others + connection);
    if (connection < CLOSED) timers.cancel(handle);
    else timers.refresh(handle, SECOND_MESSAGE + TIMEOUT);
  }
  waitForAll(everything, 2);

  Atomics.add(everything.due, 0, timers.advance(TIMEOUT, expired, CONNECTIONS));
  Atomics.add(everything.due, 1, timers.advance(SECOND_MESSAGE + TIMEOUT, expired, CONNECTIONS));
}
