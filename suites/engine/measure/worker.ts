import { parentPort } from "node:worker_threads";
import type { Region } from "../../../structures/shared/layout.ts";
import type { Runner } from "../suite.ts";
import { nowNs } from "./clock.ts";
import { controlRunner, emptyRunner } from "./controls.ts";
import { ARRIVED, CALIBRATING, FINISHED, GENERATION, MEASURE, openingTime, PHASE, SLICE_US } from "./gate.ts";
import { importCompetitor, importRace } from "./load.ts";
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
  const worker = new SliceRunner(runner, gate, seat.workers);
  say({ kind: "attached", seat: seat.index });
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

class SliceRunner {
  totalOperations = 0;
  checksum = 0;
  batch = 1;
  readonly #runner: Runner;
  readonly #run: Runner["run"];
  readonly #gate: Region;
  readonly #openingTime: Float64Array;
  readonly #workers: number;
  readonly #batchNsPerOperation = new Float64Array(MOST_TIMED_BATCHES);

  constructor(runner: Runner, gate: Region, workers: number) {
    this.#runner = runner;
    this.#run = runner.run.bind(runner);
    this.#gate = gate;
    this.#openingTime = openingTime(gate);
    this.#workers = workers;
  }

  runSlice() {
    const gate = this.#gate;
    const before = this.totalOperations;
    const sliceNs = Atomics.load(gate, SLICE_US) * 1000;
    const calibrating = Atomics.load(gate, CALIBRATING) === 1;

    this.#runBatch();
    if (Atomics.add(gate, ARRIVED, 1) === this.#workers - 1) {
      this.#openingTime[0] = nowNs();
      Atomics.store(gate, PHASE, MEASURE);
    }
    while (Atomics.load(gate, PHASE) !== MEASURE) this.#runBatch();

    const openedNs = this.#openingTime[0]!;
    const deadlineNs = openedNs + sliceNs;
    const operationsBefore = this.totalOperations;
    const startNs = nowNs();
    const endNs = calibrating ? this.#calibrateUntil(startNs, deadlineNs) : this.#runUntil(deadlineNs);
    const operations = this.totalOperations - operationsBefore;

    Atomics.add(gate, FINISHED, 1);
    while (Atomics.load(gate, FINISHED) < this.#workers) this.#runBatch();

    return {
      operations,
      startNs: startNs - openedNs,
      endNs: endNs - openedNs,
      operationsWithRamps: this.totalOperations - before,
      counters: this.#runner.counters?.() ?? {},
    };
  }

  #runBatch(): void {
    this.checksum = (this.checksum + callOutOfLine(this.#run, this.batch)) | 0;
    this.totalOperations += this.batch;
  }

  #runUntil(deadlineNs: number): number {
    let now: number;
    do {
      this.#runBatch();
      now = nowNs();
    } while (now < deadlineNs);
    return now;
  }

  /** As `#runUntil`, and leaves the batch size that the median batch of this slice calls for. */
  #calibrateUntil(startNs: number, deadlineNs: number): number {
    let now = startNs;
    let batches = 0;
    do {
      const begunNs = now;
      this.#runBatch();
      now = nowNs();
      this.#batchNsPerOperation[batches++ % MOST_TIMED_BATCHES] = (now - begunNs) / this.batch;
      const tooShort = now - begunNs < BATCH_NS / 2;
      if (tooShort && this.batch < MOST_OPERATIONS_PER_BATCH) this.batch *= 2;
    } while (now < deadlineNs);
    const timed = this.#batchNsPerOperation.subarray(0, Math.min(batches, MOST_TIMED_BATCHES)).sort();
    const usual = timed[timed.length >> 1]!;
    this.batch = Math.min(MOST_OPERATIONS_PER_BATCH, Math.max(1, Math.round(BATCH_NS / usual)));
    return now;
  }
}

/**
 * Calls a batch without ever inlining it. Inlined into the slice loop, which is entered only once a slice, the batch
 * would be compiled as part of it and start every slice in whatever tier that loop has reached; an empty operation
 * was seen to cost 0.2 or 3.8 ns by turns. A call site that has met several targets is left alone by the compiler, so
 * the batch is a function of its own, entered a hundred times a slice, and reaches the top tier during warm-up.
 */
function callOutOfLine(run: Runner["run"], operations: number): number {
  return run(operations);
}
callOutOfLine((operations) => operations, 1);
callOutOfLine((operations) => operations + 1, 1);

function say(message: WorkerMessage): void {
  parentPort!.postMessage(message);
}
