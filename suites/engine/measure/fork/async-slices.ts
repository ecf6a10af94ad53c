import type { AsyncRunner } from "../../race.ts";
import type { Region } from "../../words/layout.ts";
import { nowNs } from "../machine/clock.ts";
import {
  batchOf,
  MOST_TIMED_BATCHES,
  MOST_TIMES_LONGER,
  mostOperationsOf,
  nextBatch,
  usualNsOf,
} from "./batches.ts";
import {
  arrive,
  beginRamp,
  finish,
  noteResults,
  openingTime,
  openWindow,
  orderAt,
  resultsOf,
  stop,
} from "./gate.ts";
import type { SpeedTag } from "./tag.ts";

// As in gate.ts: taken before any competitor is loaded.
const { floor, max } = Math;

/**
 * The slices of one worker alone whose operations return promises: as worker.ts runs synchronous ones, and each batch is
 * awaited. It has no company to meet, so that its window opens as soon as it is warm. What an operation leaves behind
 * that is not awaited, a timer say, may run in a later batch. Between slices the thread sleeps, and nothing of it runs.
 */
export class AsyncSliceRunner {
  /** All operations that were run since attach, as the law has to find them. */
  totalOperations = 0;
  checksum = 0;
  /** Operations that a batch counts; it runs `#extraWork` more. */
  #batch = 1;
  readonly #extraWork: number;
  /** Extra work that is due and not yet a whole operation. */
  #extraDeadline = 0;
  #countedOperations = 0;
  readonly #runner: AsyncRunner;
  readonly #mostOperations: number;
  /** Time that preparing has taken since attach, in ns. */
  #preparingNs = 0;
  readonly #gate: Region;
  readonly #openingTime: Float64Array;
  readonly #results: Float64Array;
  readonly #tag: SpeedTag;
  readonly #batchNsPerOperation = new Float64Array(MOST_TIMED_BATCHES);

  constructor(runner: AsyncRunner, gate: Region, extraWork: number, tag: SpeedTag) {
    this.#runner = runner;
    this.#extraWork = extraWork;
    this.#mostOperations = mostOperationsOf(runner.mostOperations, extraWork);
    this.#gate = gate;
    this.#openingTime = openingTime(gate);
    this.#results = resultsOf(gate, 0);
    this.#tag = tag;
  }

  /** Runs one slice. Resolves with whether an account of it was ordered; rejects with what an operation throws. */
  async runSlice(): Promise<{ readonly account: boolean }> {
    const gate = this.#gate;
    const before = this.totalOperations;
    const { sliceNs, rampNs, calibrating, together, account } = orderAt(gate);

    beginRamp(gate, 0, together);
    await this.#runUntil(nowNs() + rampNs);
    const tagBeforeNs = this.#tag.readNs();
    arrive(gate);
    const openedNs = nowNs();
    this.#openingTime[0] = openedNs;
    openWindow(gate);

    const deadlineNs = openedNs + sliceNs;
    const operationsBefore = this.#countedOperations;
    const preparingBeforeNs = this.#preparingNs;
    const startNs = nowNs();
    const endNs = await (calibrating
      ? this.#calibrateUntil(startNs, deadlineNs)
      : this.#runUntil(deadlineNs));

    finish(gate);
    stop(gate);
    const tagAfterNs = this.#tag.readNs();
    noteResults(this.#results, {
      operations: this.#countedOperations - operationsBefore,
      startNs: startNs - openedNs,
      endNs: endNs - openedNs,
      preparingNs: this.#preparingNs - preparingBeforeNs,
      tagNs: max(tagBeforeNs, tagAfterNs),
      operationsWithRamps: this.totalOperations - before,
      batch: this.#batch,
      handoverNs: 0,
      allOperations: this.totalOperations,
      checksum: this.checksum,
      inExcerpt: 0,
    });
    return { account };
  }

  async #runBatch(): Promise<void> {
    const operations = this.#batch + this.#extraOperations();
    if (this.#runner.prepare !== undefined) {
      const begunNs = nowNs();
      await this.#runner.prepare(operations);
      this.#preparingNs += nowNs() - begunNs;
    }
    this.checksum = (this.checksum + (await this.#runner.runAsync(operations))) | 0;
    this.totalOperations += operations;
    this.#countedOperations += this.#batch;
  }

  /** How many operations the next batch runs beyond the ones that it counts. */
  #extraOperations(): number {
    this.#extraDeadline += this.#extraWork * this.#batch;
    const whole = floor(this.#extraDeadline);
    this.#extraDeadline -= whole;
    return whole;
  }

  /** Runs batches until the deadline, which time spent on preparing postpones, up to a point. */
  async #runUntil(deadlineNs: number): Promise<number> {
    const latestNs = nowNs() + MOST_TIMES_LONGER * max(0, deadlineNs - nowNs());
    const preparedNs = this.#preparingNs;
    let now: number;
    do {
      await this.#runBatch();
      now = nowNs();
    } while (now - (this.#preparingNs - preparedNs) < deadlineNs && (now < deadlineNs || now < latestNs));
    return now;
  }

  /** As `#runUntil`, and leaves the batch size that the median batch of this slice calls for. */
  async #calibrateUntil(startNs: number, deadlineNs: number): Promise<number> {
    let now = startNs;
    let batches = 0;
    do {
      const begunNs = now - this.#preparingNs;
      await this.#runBatch();
      now = nowNs();
      const batchNs = now - this.#preparingNs - begunNs;
      this.#batchNsPerOperation[batches++ % MOST_TIMED_BATCHES] = batchNs / this.#batch;
      this.#batch = nextBatch(this.#batch, batchNs, this.#mostOperations);
    } while (now < deadlineNs);
    this.#batch = batchOf(usualNsOf(this.#batchNsPerOperation, batches), this.#mostOperations);
    return now;
  }
}
// A competitor may import this module, too.
Object.freeze(AsyncSliceRunner.prototype);
