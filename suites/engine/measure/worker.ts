import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { parentPort, threadId } from "node:worker_threads";
import type { Region } from "../../../structures/shared/layout.ts";
import type { Seat } from "../../../structures/shared/seat.ts";
import { importCompetitor, importRace } from "../load.ts";
import type { Runner } from "../suite.ts";
import { nowNs } from "./clock.ts";
import { controlRunner, emptyRunner } from "./controls.ts";
import {
  ARRIVED,
  CALIBRATING,
  FINISHED,
  GENERATION,
  MEASURE,
  openingTime,
  PHASE,
  rampBatchesOf,
  SLICE_US,
  TOGETHER,
} from "./gate.ts";
import type { Assignment, WorkerMessage } from "./protocol.ts";

/**
 * The worker's side of a crew: a piscina task that lasts as long as the fork. It joins the structure, then sleeps at
 * the gate and runs one slice each time the coordinator opens it. It never returns; the fork's end ends it.
 */
export default async function serve({ body, setup, shared, seat, gate }: Assignment): Promise<void> {
  let runner: Runner;
  if (body.kind === "race") {
    const race = await importRace(body.suiteUrl, body.scenario);
    runner = race.attach(await importCompetitor(body.competitorUrl), setup, shared, seat);
  } else {
    runner = body.kind === "control" ? controlRunner(shared as Region, seat) : emptyRunner();
  }
  if (runner.prepare !== undefined && seat.workers > 1) {
    throw new Error("its batches need preparing, which only one worker alone may do");
  }
  const extraWork = body.kind === "race" ? body.extraWork : 0;
  const worker = new SliceRunner(runner, gate, seat, extraWork);
  say({ kind: "attached", seat: seat.index, thread: { node: threadId, kernel: kernelThread() } });
  for (let generation = 0; ; generation++) {
    Atomics.wait(gate, GENERATION, generation);
    const slice = worker.runSlice();
    const { totalOperations, checksum, batch } = worker;
    const work = { role: seat.role, operations: totalOperations, checksum, counters: slice.counters };
    say({ kind: "slice", seat: seat.index, batch, slice, work });
  }
}

/**
 * A batch is as many operations as take about this long: long enough that the clock read after it (about 50 ns) is
 * two thousandths of it, short enough that a worker notices the gate at once.
 */
const BATCH_NS = 25_000;
const MOST_OPERATIONS_PER_BATCH = 2 ** 20;
/** Batches remembered to find the usual one; a slice of 50 ms has about 2,000. */
const MOST_TIMED_BATCHES = 2048;

/** A slice whose batches have to be prepared may take this many times as long as it was ordered, to measure as much. */
const MOST_TIMES_LONGER = 5;

/**
 * A worker that finishes a batch while another runs for this long is running beside it: it is many batches, and less
 * than any scheduler gives a thread before it takes the core away. Where one operation takes longer, so does this.
 */
const AT_ONCE_NS = 300_000;
const AT_ONCE_BATCHES = 3;
/**
 * After this long the window opens all the same (the operations may be longer than AT_ONCE_NS, or the machine too
 * busy); then overlap decides whether the slice counts. Several scheduler ticks, in which an idle core pulls work.
 */
const LONGEST_RAMP_NS = 20_000_000;

class SliceRunner {
  /** All that were run since attach, as the law has to find them. */
  totalOperations = 0;
  checksum = 0;
  /** Operations that a batch counts; it runs `#extraWork` more. */
  batch = 1;
  readonly #extraWork: number;
  /** Extra work that is due and no whole operation yet. */
  #extraDue = 0;
  #countedOperations = 0;
  readonly #runner: Runner;
  readonly #run: Runner["run"];
  readonly #mostOperations: number;
  readonly #prepare: Runner["run"] | undefined;
  /** Time that preparing has taken since attach, in ns. */
  #preparingNs = 0;
  readonly #gate: Region;
  readonly #openingTime: Float64Array;
  readonly #seat: number;
  readonly #workers: number;
  #usualBatchNs = BATCH_NS;
  readonly #batchNsPerOperation = new Float64Array(MOST_TIMED_BATCHES);

  constructor(runner: Runner, gate: Region, { index, workers }: Seat, extraWork: number) {
    this.#extraWork = extraWork;
    this.#runner = runner;
    this.#run = runner.run.bind(runner);
    const most = Math.min(MOST_OPERATIONS_PER_BATCH, runner.mostOperations ?? Number.POSITIVE_INFINITY);
    this.#mostOperations = Math.floor(most / (1 + extraWork));
    if (this.#mostOperations === 0) throw new Error("its batches are too small to hold extra work");
    // It returns nothing worth keeping, but is called out of line as a batch is.
    this.#prepare =
      runner.prepare === undefined
        ? undefined
        : (operations) => {
            runner.prepare?.(operations);
            return 0;
          };
    this.#gate = gate;
    this.#openingTime = openingTime(gate);
    this.#seat = index;
    this.#workers = workers;
  }

  runSlice() {
    const gate = this.#gate;
    const before = this.totalOperations;
    const sliceNs = Atomics.load(gate, SLICE_US) * 1000;
    const calibrating = Atomics.load(gate, CALIBRATING) === 1;

    this.#runBatch();
    Atomics.add(gate, ARRIVED, 1);
    if (this.#seat === 0) this.#openWindow();
    else this.#rampUp();

    const openedNs = this.#openingTime[0]!;
    const deadlineNs = openedNs + sliceNs;
    const operationsBefore = this.#countedOperations;
    const preparingBeforeNs = this.#preparingNs;
    const startNs = nowNs();
    const endNs = calibrating ? this.#calibrateUntil(startNs, deadlineNs) : this.#runUntil(deadlineNs);
    const operations = this.#countedOperations - operationsBefore;
    const preparingNs = this.#preparingNs - preparingBeforeNs;

    Atomics.add(gate, FINISHED, 1);
    while (Atomics.load(gate, FINISHED) < this.#workers) this.#runBatch();
    leave(gate);

    return {
      operations,
      startNs: startNs - openedNs,
      endNs: endNs - openedNs,
      preparingNs,
      operationsWithRamps: this.totalOperations - before,
      counters: this.#runner.counters?.() ?? {},
    };
  }

  #rampUp(): void {
    const gate = this.#gate;
    const own = rampBatchesOf(this.#seat);
    while (Atomics.load(gate, PHASE) !== MEASURE) {
      this.#runBatch();
      Atomics.add(gate, own, 1);
    }
  }

  /** Worker 0's ramp: runs until all have arrived and, where there are cores for them, have been seen running at once. */
  #openWindow(): void {
    const gate = this.#gate;
    while (Atomics.load(gate, ARRIVED) < this.#workers) this.#runBatch();
    if (Atomics.load(gate, TOGETHER) === 1) {
      const giveUpNs = nowNs() + LONGEST_RAMP_NS;
      while (!this.#sawAllRunning() && nowNs() < giveUpNs);
    }
    this.#openingTime[0] = nowNs();
    Atomics.store(gate, PHASE, MEASURE);
  }

  /** Runs batches until every other worker has finished one of its own meanwhile; false if that takes too long. */
  #sawAllRunning(): boolean {
    const gate = this.#gate;
    const atOnceNs = Math.max(AT_ONCE_NS, AT_ONCE_BATCHES * this.#usualBatchNs);
    const begunNs = nowNs();
    const before = Array.from({ length: this.#workers }, (_, seat) =>
      Atomics.load(gate, rampBatchesOf(seat)),
    );
    do {
      this.#runBatch();
      const running = before.every(
        (batches, seat) => seat === 0 || Atomics.load(gate, rampBatchesOf(seat)) !== batches,
      );
      if (running) return nowNs() - begunNs < atOnceNs;
    } while (nowNs() - begunNs < atOnceNs);
    return false;
  }

  #runBatch(): void {
    const operations = this.batch + this.#extraOperations();
    if (this.#prepare !== undefined) {
      const begunNs = nowNs();
      callOutOfLine(this.#prepare, operations);
      this.#preparingNs += nowNs() - begunNs;
    }
    this.checksum = (this.checksum + callOutOfLine(this.#run, operations)) | 0;
    this.totalOperations += operations;
    this.#countedOperations += this.batch;
  }

  /** How many operations the next batch runs beyond those that it counts. */
  #extraOperations(): number {
    this.#extraDue += this.#extraWork * this.batch;
    const whole = Math.floor(this.#extraDue);
    this.#extraDue -= whole;
    return whole;
  }

  /** Runs batches until the deadline, which time spent on preparing puts off, up to a point. */
  #runUntil(deadlineNs: number): number {
    const latestNs = nowNs() + MOST_TIMES_LONGER * Math.max(0, deadlineNs - nowNs());
    const preparedNs = this.#preparingNs;
    let now: number;
    do {
      this.#runBatch();
      now = nowNs();
    } while (now - (this.#preparingNs - preparedNs) < deadlineNs && (now < deadlineNs || now < latestNs));
    return now;
  }

  /** As `#runUntil`, and leaves the batch size that the median batch of this slice calls for. */
  #calibrateUntil(startNs: number, deadlineNs: number): number {
    let now = startNs;
    let batches = 0;
    do {
      const begunNs = now - this.#preparingNs;
      this.#runBatch();
      now = nowNs();
      const batchNs = now - this.#preparingNs - begunNs;
      this.#batchNsPerOperation[batches++ % MOST_TIMED_BATCHES] = batchNs / this.batch;
      const tooShort = batchNs < BATCH_NS / 2;
      if (tooShort) this.batch = Math.min(2 * this.batch, this.#mostOperations);
    } while (now < deadlineNs);
    const timed = this.#batchNsPerOperation.subarray(0, Math.min(batches, MOST_TIMED_BATCHES)).sort();
    const usual = timed[timed.length >> 1]!;
    this.batch = Math.min(this.#mostOperations, Math.max(1, Math.round(BATCH_NS / usual)));
    this.#usualBatchNs = usual * this.batch;
    return now;
  }
}

/**
 * Waits until every worker has stopped running, so that counters are read at rest: one that has left the loop may still
 * have company in its last batch. Asleep, because with more workers than cores the others need the core.
 */
function leave(gate: Region): void {
  let running = Atomics.sub(gate, ARRIVED, 1) - 1;
  if (running === 0) Atomics.notify(gate, ARRIVED);
  for (; running > 0; running = Atomics.load(gate, ARRIVED)) Atomics.wait(gate, ARRIVED, running);
}

/**
 * Calls a batch so that it is not compiled as part of the slice loop, which is entered only once a slice and would start
 * every slice in whatever tier it has reached; an empty operation was seen to cost 0.2 or 3.8 ns by turns. Here it is
 * entered a hundred times a slice, and reaches the top tier during warm-up.
 *
 * It was meant to keep V8 from inlining the batch at all, by the two calls below that give its call site other targets.
 * Profiles (`npm run flame -- CELL --inlining`) show it inlined into `#runBatch` all the same: those calls come before V8
 * collects feedback. That has the batch compiled with `#runBatch`, which is entered as often, and not with the slice
 * loop. Every record so far was made so.
 */
function callOutOfLine(run: Runner["run"], operations: number): number {
  return run(operations);
}
callOutOfLine((operations) => operations, 1);
callOutOfLine((operations) => operations + 1, 1);

function say(message: WorkerMessage): void {
  parentPort!.postMessage(message);
}

/** This thread as the kernel numbers it; undefined where it does not tell. */
function kernelThread(): number | undefined {
  try {
    return Number(basename(readlinkSync("/proc/thread-self")));
  } catch {
    return undefined;
  }
}
