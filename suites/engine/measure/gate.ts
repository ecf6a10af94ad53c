import { allocateRegion, type Region, STRIDE_WORDS } from "../../../structures/shared/layout.ts";

/**
 * The gate: the shared words by which a coordinator and the workers of one crew start and stop a slice together, and in
 * which the workers leave what they measured. No message passes between two slices: what lies between them is the wake of
 * a thread and nothing else.
 *
 * A slice goes LOADING, RAMP, MEASURE, and down:
 * 1. The coordinator writes the order, sets LOADING, raises `generation` and sleeps on `parked`.
 * 2. Worker 0 copies the crew's state into the arena, if it has one there, and sets RAMP.
 * 3. Each worker runs a batch, reads its tag, arrives, and goes on running operations, counting its batches. Worker 0
 *    opens the window, with the time and then MEASURE, when it has seen every other worker finish a batch while it was
 *    running itself. A barrier alone is not enough: workers can all have arrived and yet share one core until the
 *    scheduler moves one of them, milliseconds later, and then each has the structure to itself.
 * 4. Each worker measures until the common deadline, then counts itself out, but goes on running operations until all
 *    have counted out, so nobody is measured alone at the end either.
 * 5. When the last has stopped, each reads its tag, writes its results, gives its account if it is to, and parks. Worker 0
 *    parks last: it copies the state out again when all others have parked.
 *
 *     word 0              generation   raised once a slice; workers sleep on it      coordinator
 *     words 1 .. 5        the order: slice in us, ramp in us, 1 while workers may    coordinator, before generation
 *                         change their batch size, 1 if they can run at once,
 *                         1 if they are to give an account
 *     stride 1, word 0    phase        LOADING, RAMP or MEASURE                      coordinator, worker 0
 *     stride 2, word 0    arrived      workers that are running; those that have     each worker
 *                                      stopped sleep on it until it is 0
 *     stride 3, word 0    finished     workers that have read their end time         each worker
 *     stride 4, word 0    parked       workers that have written their results;      each worker
 *                                      the coordinator sleeps on it
 *     stride 5, 64 bits   opening time in ns, a double                               worker 0, before phase
 *     then for each worker two strides:
 *       stride 0, word 0  batches of the ramp that it has finished                   that worker
 *       stride 1          its results, doubles: see Result                           that worker, before parked
 *
 * All words are accessed atomically but the doubles, which are written before an atomic store (of MEASURE, of parked) and
 * read after an atomic load that saw it.
 */
export const GENERATION = 0;
export const SLICE_US = 1;
export const RAMP_US = 2;
export const CALIBRATING = 3;
export const TOGETHER = 4;
export const ACCOUNT = 5;
export const PHASE = STRIDE_WORDS;
export const ARRIVED = 2 * STRIDE_WORDS;
export const FINISHED = 3 * STRIDE_WORDS;
export const PARKED = 4 * STRIDE_WORDS;
const OPENING = 5 * STRIDE_WORDS;
const WORKERS = 6 * STRIDE_WORDS;
const WORDS_PER_WORKER = 2 * STRIDE_WORDS;

export const LOADING = 0;
export const RAMP = 1;
export const MEASURE = 2;

/** Index of each double among a worker's results. */
export const Result = {
  operations: 0,
  startNs: 1,
  endNs: 2,
  preparingNs: 3,
  tagNs: 4,
  /** Of the whole slice, ramps and extra work included. */
  operationsWithRamps: 5,
  /** Operations per batch, now. */
  batch: 6,
} as const;

export function makeGate(workers: number): Region {
  return allocateRegion(WORKERS + workers * WORDS_PER_WORKER);
}

export interface SliceOrder {
  readonly sliceUs: number;
  /** At least so long workers run operations before their window opens. */
  readonly rampUs: number;
  readonly calibrating: boolean;
  /** Whether there are cores for all workers. */
  readonly together: boolean;
  /** Whether each worker is to send an account of all it has done, of type WorkDone. */
  readonly account: boolean;
}

/** Starts a slice. Only while every worker of the crew is parked. */
export function openGate(
  gate: Region,
  { sliceUs, rampUs, calibrating, together, account }: SliceOrder,
): void {
  Atomics.store(gate, SLICE_US, Math.round(sliceUs));
  Atomics.store(gate, RAMP_US, Math.round(rampUs));
  Atomics.store(gate, CALIBRATING, calibrating ? 1 : 0);
  Atomics.store(gate, TOGETHER, together ? 1 : 0);
  Atomics.store(gate, ACCOUNT, account ? 1 : 0);
  Atomics.store(gate, ARRIVED, 0);
  Atomics.store(gate, FINISHED, 0);
  Atomics.store(gate, PARKED, 0);
  Atomics.store(gate, PHASE, LOADING);
  Atomics.add(gate, GENERATION, 1);
  Atomics.notify(gate, GENERATION);
}

/** Sleeps until all `workers` have parked, at most so long in ms; returns whether they have. Blocks the thread. */
export function sleepUntilParked(gate: Region, workers: number, limitMs: number): boolean {
  const untilMs = performance.now() + limitMs;
  for (let parked = Atomics.load(gate, PARKED); parked < workers; parked = Atomics.load(gate, PARKED)) {
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(gate, PARKED, parked, leftMs);
  }
  return true;
}

/** Index of the word in which worker `worker` counts its batches of the ramp. */
export function rampBatchesOf(worker: number): number {
  return WORKERS + worker * WORDS_PER_WORKER;
}

/** The results of worker `worker`, as a view. */
export function resultsOf(gate: Region, worker: number): Float64Array {
  const word = WORKERS + worker * WORDS_PER_WORKER + STRIDE_WORDS;
  return doublesAt(gate, word, Object.keys(Result).length);
}

/** The opening time in ns, as a view on its two words. */
export function openingTime(gate: Region): Float64Array {
  return doublesAt(gate, OPENING, 1);
}

function doublesAt(gate: Region, word: number, length: number): Float64Array {
  return new Float64Array(gate.buffer, gate.byteOffset + word * Int32Array.BYTES_PER_ELEMENT, length);
}
