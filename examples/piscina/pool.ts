import { attachPicker, freeSeat, makePicker, type PickInstance } from "hotpath-lab/pick";
import rotatingRoundRobin from "hotpath-lab/pick/rotating-round-robin";
import shuffledRoundRobin from "hotpath-lab/pick/shuffled-round-robin";
import { Piscina } from "piscina";

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>["loadBalancer"]>;

/**
 * Gives tasks to the threads of a pool in turn, at most `most` at a time to each. Piscina's own balancer gives a task to
 * the first idle thread, so that the first threads get nearly all tasks of a pool that is seldom busy.
 */
export function inTurn(threads: number, most = 1): LoadBalancer {
  const turns = makePicker(shuffledRoundRobin, { backends: threads, workers: 1 });
  const { pick } = attachPicker(shuffledRoundRobin, turns, 0);
  return ({ isAbortable }, workers) => {
    // As many picks as there are threads come to each of them once.
    for (let asked = 0; asked < threads; asked++) {
      const worker = workers[pick()];
      // A task that can be aborted is ended with its thread, and must be alone there. A thread that runs one counts as
      // infinitely busy.
      if (worker !== undefined && worker.currentUsage < (isAbortable ? 1 : most)) return worker;
    }
    // Piscina starts another thread if it may, or waits for one.
    return null;
  };
}

/** What the threads of a pool share: plain data, which crosses in `workerData`. */
export interface Shared {
  readonly picker: PickInstance;
  /** By seat: the id of the thread that holds it, or 0. Accessed atomically. */
  readonly holders: Int32Array;
}

/** A pool whose threads send requests to `backends` in one common turn. */
export function poolOf(filename: string, backends: number, threads: number): Piscina {
  // A thread that was ended may still hold its seat when another has begun in its place.
  const seats = 2 * threads;
  const shared: Shared = {
    picker: makePicker(rotatingRoundRobin, { backends, workers: seats }),
    holders: new Int32Array(new SharedArrayBuffer(seats * Int32Array.BYTES_PER_ELEMENT)),
  };
  const pool = new Piscina({
    filename,
    maxThreads: threads,
    loadBalancer: inTurn(threads),
    workerData: shared,
  });
  // Emitted before the thread gets its first task, with which it takes a seat.
  pool.on("workerCreate", ({ id }: { readonly id: number }) => {
    const thread = pool.threads.find(({ threadId }) => threadId === id);
    thread?.once("exit", () => leave(shared, id));
  });
  return pool;
}

function leave({ picker, holders }: Shared, id: number): void {
  const seat = holders.indexOf(id);
  if (seat === -1) return;
  freeSeat(picker, seat);
  Atomics.store(holders, seat, 0);
}
