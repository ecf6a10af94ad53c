import { allocateRegion, type Region, STRIDE_WORDS } from "../../../structures/shared/layout.ts";

/**
 * The gate: the shared words by which a coordinator and the workers of one crew start and stop a slice together.
 *
 * A slice goes RAMP, MEASURE, and down:
 * 1. The coordinator writes the order (length, whether to calibrate), sets RAMP and raises `generation`.
 * 2. Each worker wakes, arrives, and runs real operations, counting its batches. Worker 0 opens the window, with the
 *    time and then MEASURE, when it has seen every other worker finish a batch while it was running itself. A barrier
 *    alone is not enough: workers can all have arrived and yet share one core until the scheduler moves one of them,
 *    milliseconds later, and then each has the structure to itself.
 * 3. Each worker measures until the common deadline, then counts itself out, but goes on running operations until all
 *    have counted out, so nobody is measured alone at the end either. When the last has stopped, it reports and parks.
 *
 *     word 0              generation   raised once a slice; workers sleep on it      coordinator
 *     word 1              slice length in microseconds                               coordinator, before generation
 *     word 2              1 while workers may change their batch size                coordinator, before generation
 *     word 3              1 if workers can run at once, so that 2. makes sense       coordinator, before generation
 *     stride 1, word 0    phase        RAMP or MEASURE                               coordinator, worker 0
 *     stride 2, word 0    arrived      workers that are running; those that have     each worker
 *                                      stopped sleep on it until it is 0
 *     stride 3, word 0    finished     workers that have read their end time         each worker
 *     stride 4, 64 bits   opening time in ns, a double                               worker 0, before phase
 *     stride 5 + seat     batches of the ramp that this worker has finished          that worker
 *
 * All words are accessed atomically but the opening time, which is written before the atomic store of MEASURE and
 * read after an atomic load that saw it.
 */
export const GENERATION = 0;
export const SLICE_US = 1;
export const CALIBRATING = 2;
export const TOGETHER = 3;
export const PHASE = STRIDE_WORDS;
export const ARRIVED = 2 * STRIDE_WORDS;
export const FINISHED = 3 * STRIDE_WORDS;
const OPENING = 4 * STRIDE_WORDS;
const RAMP_BATCHES = 5 * STRIDE_WORDS;

export const RAMP = 0;
export const MEASURE = 1;

export function makeGate(workers: number): Region {
  return allocateRegion(RAMP_BATCHES + workers * STRIDE_WORDS);
}

export interface SliceOrder {
  readonly sliceMs: number;
  readonly calibrating: boolean;
  /** Whether there are cores for all workers. */
  readonly together: boolean;
}

/** Starts a slice. Only while every worker of the crew is parked. */
export function openGate(gate: Region, { sliceMs, calibrating, together }: SliceOrder): void {
  Atomics.store(gate, SLICE_US, Math.round(sliceMs * 1000));
  Atomics.store(gate, CALIBRATING, calibrating ? 1 : 0);
  Atomics.store(gate, TOGETHER, together ? 1 : 0);
  Atomics.store(gate, ARRIVED, 0);
  Atomics.store(gate, FINISHED, 0);
  Atomics.store(gate, PHASE, RAMP);
  Atomics.add(gate, GENERATION, 1);
  Atomics.notify(gate, GENERATION);
}

/** Index of the word in which the worker at `seat` counts its batches of the ramp. */
export function rampBatchesOf(seat: number): number {
  return RAMP_BATCHES + seat * STRIDE_WORDS;
}

/** The opening time in ns, as a view on its two words. */
export function openingTime(gate: Region): Float64Array {
  return new Float64Array(gate.buffer, gate.byteOffset + OPENING * Int32Array.BYTES_PER_ELEMENT, 1);
}
