import { allocateRegion, type Region, STRIDE_WORDS } from "../../words/layout.ts";
import { InstrumentBroken } from "../plan/failures.ts";

/**
 * The gate: the shared words by which a coordinator and the workers of one crew start and stop a slice together. The
 * workers leave there what they measured. No message passes between two slices: only the wake of a thread lies between
 * them.
 *
 * A slice goes LOADING, RAMP, MEASURE, and down:
 * 1. The coordinator writes the order, sets LOADING, raises `generation` and sleeps on `parked`.
 * 2. Worker 0 copies the crew's state into the arena, if it has one there, and sets RAMP.
 * 3. Each worker runs a batch, reads its tag, arrives, and goes on running operations, counting its batches. Worker 0
 *    opens the window, with the time and then MEASURE. It does so when it has seen every other worker finish a batch
 *    while it was running itself. It has then measured how long a line takes between the first two. A barrier alone is
 *    not enough. Workers can all have arrived and yet share one core until the scheduler moves one of them,
 *    milliseconds later. Then each has the structure to itself.
 * 4. Each worker measures until the common deadline, then counts itself out. It goes on running operations until all
 *    have counted out, so no worker is measured alone at the end either.
 * 5. When the last has stopped, each reads its tag, writes its results, gives its account if it is to, and parks. Worker 0
 *    parks last: it copies the state out again when all others have parked.
 *
 * A notify may come late: the scheduler can stop a thread between its store and its notify. A thread that saw the store
 * before it slept is then woken from its next sleep, for nothing. So every wait here looks again when it is woken. A
 * worker that did not ran a slice that was not ordered, in the memory of the next crew. Its count was ahead of the
 * gate's from then on, and it ran one slice after the other. gate.model.ts explores every interleaving of these waits.
 *
 * A thread that still finds the protocol broken gives up the whole process: see `InstrumentBroken`.
 *
 *     word 0              generation   raised once a slice; workers sleep on it      coordinator
 *     words 1 .. 5        the order: slice in us, ramp in us, 1 while workers may    coordinator, before generation
 *                         change their batch size, 1 if they can run at once,
 *                         1 if they are to give an account
 *     word 6              broken       what a worker found that must not be, once    a worker, before it ends
 *     word 7              last         1 if it is the last slice that is timed       coordinator, before generation
 *     stride 1, word 0    phase        LOADING, RAMP or MEASURE                      coordinator, worker 0
 *     stride 2, word 0    arrived      workers that are running; those that have     each worker
 *                                      stopped sleep on it until it is 0
 *     stride 3, word 0    finished     workers that have read their end time         each worker
 *     stride 4, word 0    parked       workers that have written their results;      each worker
 *                                      the coordinator sleeps on it
 *     stride 5, 64 bits   opening time in ns, a double                               worker 0, before phase
 *     stride 6, word 0    handover     see handover.ts                               workers 0 and 1
 *     then for each worker two strides:
 *       stride 0, word 0  batches of the ramp that it has finished                   that worker
 *       stride 0, word 1  acknowledged: the generation that it has carried out       that worker, before parked
 *       stride 1          its results, doubles: see Result                           that worker, before parked
 *
 * All words are accessed atomically but the doubles. These are written before an atomic store (of MEASURE, of parked)
 * and read after an atomic load that saw it.
 */
// Taken before any competitor is loaded: one that replaced them for a moment would be handed the gate.
const { add, compareExchange, load, notify, store, sub, wait } = Atomics;
const nowMs = performance.now.bind(performance);

export const GENERATION = 0;
const SLICE_US = 1;
const RAMP_US = 2;
const CALIBRATING = 3;
const TOGETHER = 4;
const ACCOUNT = 5;
const BROKEN = 6;
const LAST = 7;
const PHASE = STRIDE_WORDS;
const ARRIVED = 2 * STRIDE_WORDS;
const FINISHED = 3 * STRIDE_WORDS;
const PARKED = 4 * STRIDE_WORDS;
const OPENING = 5 * STRIDE_WORDS;
export const HANDOVER = 6 * STRIDE_WORDS;
const WORKERS = 7 * STRIDE_WORDS;
const WORDS_PER_WORKER = 2 * STRIDE_WORDS;

const LOADING = 0;
const RAMP = 1;
const MEASURE = 2;

/** What stands in `broken`: nothing, a slice that was not ordered, or the number of the crew that was in the arena. */
export const NOTHING = 0;
export const NOT_ORDERED = -1;

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
  /** Of worker 0 (see handover.ts). */
  handoverNs: 7,
  /** Of all slices and excerpts since attach, and the sum of what they returned, as an int32. */
  allOperations: 8,
  checksum: 9,
  /** Operations that were run one by one after the slice. */
  inExcerpt: 10,
} as const;

export function makeGate(workers: number): Region {
  return allocateRegion(wordsOfGate(workers));
}

export function wordsOfGate(workers: number): number {
  return WORKERS + workers * WORDS_PER_WORKER;
}

function workersOf(gate: Region): number {
  return (gate.length - WORKERS) / WORDS_PER_WORKER;
}

export interface SliceOrder {
  readonly sliceUs: number;
  /** Workers run operations for at least this long before their window opens. */
  readonly rampUs: number;
  readonly calibrating: boolean;
  /** Whether there are cores for all workers. */
  readonly together: boolean;
  /** Whether each worker is to send an account of all it has done, of type WorkDone. */
  readonly account: boolean;
  /** Whether no slice follows: workers then measure what they allocate (see allocation.ts). */
  readonly last?: true;
}

/**
 * Starts a slice. Throws InstrumentBroken unless every worker of this crew and of the one that ran last has
 * acknowledged the last slice that it was ordered. Two crews at once would measure each other.
 */
export function openGate(
  gate: Region,
  { sliceUs, rampUs, calibrating, together, account, last }: SliceOrder,
  ranLast: Region = gate,
): void {
  if (!isAtRest(ranLast) || !isAtRest(gate))
    throw new InstrumentBroken("two crews at once: a slice was ordered while a crew was still running");
  store(gate, SLICE_US, Math.round(sliceUs));
  store(gate, RAMP_US, Math.round(rampUs));
  store(gate, CALIBRATING, calibrating ? 1 : 0);
  store(gate, TOGETHER, together ? 1 : 0);
  store(gate, ACCOUNT, account ? 1 : 0);
  store(gate, LAST, last ? 1 : 0);
  store(gate, ARRIVED, 0);
  store(gate, FINISHED, 0);
  store(gate, PARKED, 0);
  store(gate, PHASE, LOADING);
  add(gate, GENERATION, 1);
  notify(gate, GENERATION);
}

/** Whether every worker has carried out the last slice that it was ordered, and no other. */
export function isAtRest(gate: Region): boolean {
  const ordered = load(gate, GENERATION);
  for (let worker = 0; worker < workersOf(gate); worker++) {
    if (load(gate, acknowledgedBy(worker)) !== ordered) return false;
  }
  return true;
}

/** Sleeps until all workers have parked, at most this long in ms; returns whether they have. Blocks the thread. */
export function sleepUntilParked(gate: Region, limitMs: number): boolean {
  const untilMs = nowMs() + limitMs;
  for (let late = lateAt(gate); late > 0; late = lateAt(gate)) {
    const leftMs = untilMs - nowMs();
    if (leftMs <= 0) return false;
    wait(gate, PARKED, workersOf(gate) - late, leftMs);
  }
  return true;
}

/** How many workers have not parked. */
export function lateAt(gate: Region): number {
  return workersOf(gate) - load(gate, PARKED);
}

/** What a worker found broken: NOTHING, NOT_ORDERED, or the number of the crew that it found in the arena. */
export function brokenAt(gate: Region): number {
  return load(gate, BROKEN);
}

/** What one worker does in its slices. `enter` and `leave` are worker 0's, while all others of its crew are at rest. */
export interface Served {
  /** Brings the crew's state to its place. Returns the number of the crew that it found there instead, or NOTHING. */
  enter(): number;
  run(): void;
  leave(): void;
}

/** As `Served`, of a worker whose operations return promises. */
export interface ServedAsync extends Pick<Served, "enter" | "leave"> {
  run(): Promise<void>;
}

/** A worker's next slice, from the sleep before it to where it has parked. Throws where the instrument is broken. */
export function serveSlice(gate: Region, worker: number, { enter, run, leave }: Served): void {
  enterSlice(gate, worker, enter);
  run();
  leaveSlice(gate, worker, leave);
}

/** As `serveSlice`, and rejects where that throws. The sleep before the slice stops the thread's event loop too. */
export async function serveSliceAsync(
  gate: Region,
  worker: number,
  { enter, run, leave }: ServedAsync,
): Promise<void> {
  enterSlice(gate, worker, enter);
  await run();
  leaveSlice(gate, worker, leave);
}

function enterSlice(gate: Region, worker: number, enter: Served["enter"]): void {
  awaitSlice(gate, worker);
  if (!isOrdered(gate, worker)) breakOff(gate, NOT_ORDERED);
  if (worker === 0) {
    const found = enter();
    if (found !== NOTHING) breakOff(gate, found);
  }
}

function leaveSlice(gate: Region, worker: number, leave: Served["leave"]): void {
  if (worker === 0) {
    // After all accounts, which may take a lock of the structure's, or put something down in it.
    awaitOthers(gate);
    leave();
  }
  park(gate, worker);
}

/** Sleeps until another slice is ordered than the one that this worker carried out last. */
function awaitSlice(gate: Region, worker: number): void {
  const acknowledged = load(gate, acknowledgedBy(worker));
  while (load(gate, GENERATION) === acknowledged) wait(gate, GENERATION, acknowledged);
}

/** Whether the slice that a worker is about to run is the one that comes after its last. */
function isOrdered(gate: Region, worker: number): boolean {
  return load(gate, GENERATION) === ((load(gate, acknowledgedBy(worker)) + 1) | 0);
}

function breakOff(gate: Region, found: number): never {
  compareExchange(gate, BROKEN, NOTHING, found);
  throw new InstrumentBroken("two crews at once");
}

/** Acknowledges first: the coordinator may order the next slice as soon as all have parked. */
function park(gate: Region, worker: number): void {
  add(gate, acknowledgedBy(worker), 1);
  add(gate, PARKED, 1);
  notify(gate, PARKED);
}

/** Waits until all workers but worker 0 have parked; the coordinator sleeps on, for one is missing. */
function awaitOthers(gate: Region): void {
  const together = load(gate, TOGETHER) === 1;
  for (let late = lateAt(gate); late > 1; late = lateAt(gate)) {
    if (!together) wait(gate, PARKED, workersOf(gate) - late);
  }
}

/** What a worker reads of the order when its slice begins. */
export function orderAt(gate: Region) {
  return {
    sliceNs: load(gate, SLICE_US) * 1000,
    rampNs: load(gate, RAMP_US) * 1000,
    calibrating: load(gate, CALIBRATING) === 1,
    together: load(gate, TOGETHER) === 1,
    account: load(gate, ACCOUNT) === 1,
  };
}

/** Whether the slice that is being run is the last. */
export function isLast(gate: Region): boolean {
  return load(gate, LAST) === 1;
}

/**
 * Begins a worker's ramp, once the crew's state is in its place, which worker 0 knows. The others wait for that awake where
 * all have cores, because it takes microseconds.
 */
export function beginRamp(gate: Region, worker: number, together: boolean): void {
  if (worker === 0) {
    store(gate, PHASE, RAMP);
    if (!together) notify(gate, PHASE);
    return;
  }
  while (load(gate, PHASE) === LOADING) if (!together) wait(gate, PHASE, LOADING);
}

export function arrive(gate: Region): void {
  add(gate, ARRIVED, 1);
}

export function allArrived(gate: Region): boolean {
  return load(gate, ARRIVED) >= workersOf(gate);
}

/** By worker 0, when it has written the opening time. */
export function openWindow(gate: Region): void {
  store(gate, PHASE, MEASURE);
}

export function isWindowOpen(gate: Region): boolean {
  return load(gate, PHASE) === MEASURE;
}

export function finish(gate: Region): void {
  add(gate, FINISHED, 1);
}

export function allFinished(gate: Region): boolean {
  return load(gate, FINISHED) >= workersOf(gate);
}

/**
 * Waits until every worker has stopped running, so that state is copied and counters are read at rest. A worker that
 * has left the loop may still have company in its last batch. Asleep, because with more workers than cores the others
 * need the core.
 */
export function stop(gate: Region): void {
  let running = sub(gate, ARRIVED, 1) - 1;
  if (running === 0) notify(gate, ARRIVED);
  for (; running > 0; running = load(gate, ARRIVED)) wait(gate, ARRIVED, running);
}

/** Index of the word in which worker `worker` counts its batches of the ramp. */
export function rampBatchesOf(worker: number): number {
  return WORKERS + worker * WORDS_PER_WORKER;
}

/** Index of the word in which it acknowledges. */
function acknowledgedBy(worker: number): number {
  return rampBatchesOf(worker) + 1;
}

/** Notes what a worker measured in a slice and has done by then, before it parks. */
export function noteResults(
  results: Float64Array,
  measured: Readonly<Record<keyof typeof Result, number>>,
): void {
  results[Result.operations] = measured.operations;
  results[Result.startNs] = measured.startNs;
  results[Result.endNs] = measured.endNs;
  results[Result.preparingNs] = measured.preparingNs;
  results[Result.tagNs] = measured.tagNs;
  results[Result.operationsWithRamps] = measured.operationsWithRamps;
  results[Result.batch] = measured.batch;
  results[Result.handoverNs] = measured.handoverNs;
  results[Result.allOperations] = measured.allOperations;
  results[Result.checksum] = measured.checksum;
  results[Result.inExcerpt] = measured.inExcerpt;
}

/** Notes after a slice what was run one by one, before it parks. */
export function noteExcerpt(
  results: Float64Array,
  { taken, allOperations, checksum }: { taken: number; allOperations: number; checksum: number },
): void {
  results[Result.inExcerpt] = taken;
  results[Result.allOperations] = allOperations;
  results[Result.checksum] = checksum;
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
