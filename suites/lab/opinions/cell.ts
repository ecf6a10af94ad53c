import { importCompetitor, importRace } from "../../engine/measure/load/load.ts";
import { nowNs } from "../../engine/measure/machine/clock.ts";
import type { Race, Runner, Setup, WorkerIdentity } from "../../engine/race.ts";
import { derivedSeed } from "../../engine/words/random.ts";
import { LAB } from "../suites.ts";

/** Which cell, so that another process can find it. */
export interface CellRef {
  readonly moduleUrl: string;
  readonly scenario: string;
  readonly competitorUrl: string;
  readonly size: "full" | "smoke";
  readonly seed: number;
  /** Which fork it is, from 0: a scenario may spread its starting states over forks. */
  readonly fork: number;
  /** As in `CrewPlan`: work done beyond what is counted, as a share; 0 for none. */
  readonly extraWork: number;
}

/** Long enough that the two clock reads around a batch are a few thousandths of it; as a worker of the lab has it. */
const BATCH_NS = 25_000;
const MOST_OPERATIONS_PER_BATCH = 2 ** 20;

/** Warm-up ends like a crew's: when the last slices are equally fast, or after the most. */
const FLAT_SLICES = 5;
const FLAT_TOLERANCE = 0.05;
const FEWEST_SLICES = 10;
const MOST_SLICES = 40;
/** A slice of warm-up is this part of the time that will be measured, and no longer than a crew's. */
const SLICE_PART = 0.1;
const LONGEST_SLICE_MS = 5;

/** Preparing may take this many times as long as the operations, as in a slice of the lab's; beyond it less is measured. */
const MOST_TIMES_LONGER = 5;

/**
 * A one-worker cell on this thread: what a worker of the lab does between two clock reads, without the clock. Batches
 * are prepared and run in turn; everything that was run counts for the law.
 */
export class OpinionCell {
  /** Operations that a batch counts; with extra work it runs more. */
  batch = 1;
  readonly #beforeBatch: () => void;
  readonly #ref: CellRef;
  readonly #race: Race<unknown, unknown, unknown>;
  readonly #competitor: unknown;
  readonly #setup: Setup<unknown>;
  readonly #shared: unknown;
  readonly #role: string;
  readonly #runner: Runner;
  readonly #run: Runner["run"];
  readonly #mostOperations: number;
  /** Operations of the next batch. */
  #next = 1;
  /** Extra work that is due and not yet a whole operation. */
  #extraDeadline = 0;
  #operations = 0;
  #checksum = 0;
  #preparingNs = 0;
  #runningNs = 0;

  /** `beforeBatch` is called before each batch is made ready, outside of all that is timed. */
  static async attach(ref: CellRef, beforeBatch: () => void): Promise<OpinionCell> {
    const race = await importRace(ref.moduleUrl, ref.scenario);
    return new OpinionCell(ref, race, await importCompetitor(ref.competitorUrl, LAB), beforeBatch);
  }

  private constructor(
    ref: CellRef,
    race: Race<unknown, unknown, unknown>,
    competitor: unknown,
    beforeBatch: () => void,
  ) {
    this.#beforeBatch = beforeBatch;
    this.#ref = ref;
    this.#race = race;
    this.#competitor = competitor;
    this.#setup = { params: race.params[ref.size], workers: 1, seed: ref.seed, fork: ref.fork };
    this.#shared = race.prepare(competitor, this.#setup);
    this.#role = race.role?.(0, 1) ?? "worker";
    const worker: WorkerIdentity = { index: 0, workers: 1, role: this.#role, seed: derivedSeed(ref.seed, 0) };
    this.#runner = race.attach(competitor, this.#setup, this.#shared, worker);
    this.#run = this.#runner.run.bind(this.#runner);
    const most = Math.min(MOST_OPERATIONS_PER_BATCH, this.#runner.mostOperations ?? Number.POSITIVE_INFINITY);
    this.#mostOperations = Math.floor(most / (1 + ref.extraWork));
    if (this.#mostOperations === 0) throw new Error("its batches are too small to hold extra work");
  }

  /** Makes the next batch ready. Has to be called before each `runBatch`, and its time left out. */
  prepareBatch(): void {
    this.#beforeBatch();
    this.#extraDeadline += this.#ref.extraWork * this.batch;
    const extra = Math.floor(this.#extraDeadline);
    this.#extraDeadline -= extra;
    this.#next = this.batch + extra;
    this.#runner.prepare?.(this.#next);
  }

  /** Runs the batch that was made ready and returns a number that depends on all its results. */
  runBatch(): number {
    const operations = this.#next;
    this.#operations += operations;
    this.#checksum = (this.#checksum + callOutOfLine(this.#run, operations)) | 0;
    return this.#checksum;
  }

  /** Runs until the last slices are equally fast, and leaves a batch of about 25 us. `cpuMs` as in a question. */
  warmUp(cpuMs: number): void {
    const sliceNs = Math.min(LONGEST_SLICE_MS, SLICE_PART * cpuMs) * 1e6;
    const recentNs: number[] = [];
    for (let slices = 0; slices < MOST_SLICES; slices++) {
      recentNs.push(this.#calibrate(sliceNs));
      if (slices + 1 >= FEWEST_SLICES && isFlat(recentNs.slice(-FLAT_SLICES))) return;
    }
  }

  /** Ms of the operations' own time to measure for, so that preparing does not take many times as long. */
  budgetMs(cpuMs: number): number {
    const share = this.#runningNs / (this.#runningNs + this.#preparingNs);
    return cpuMs * Math.min(1, MOST_TIMES_LONGER * share);
  }

  /** Undefined, or which law of the race is broken by all that was run. */
  brokenLaw(): string | undefined {
    const counters = this.#runner.counters?.() ?? {};
    for (const [name, value] of Object.entries(counters)) {
      if (!Number.isFinite(value)) throw new Error(`its counter ${name} is ${value}`);
    }
    const work = { role: this.#role, operations: this.#operations, checksum: this.#checksum, counters };
    return this.#race.law(this.#competitor, this.#setup, this.#shared, [work]);
  }

  /** Runs batches for this long, sizes them by the usual one, and returns that one's ns per operation. */
  #calibrate(sliceNs: number): number {
    const nsPerOperation: number[] = [];
    let elapsedNs = 0;
    this.#runningNs = 0;
    this.#preparingNs = 0;
    while (elapsedNs < sliceNs) {
      const begunNs = nowNs();
      this.prepareBatch();
      const preparedNs = nowNs();
      this.runBatch();
      const endNs = nowNs();
      this.#preparingNs += preparedNs - begunNs;
      this.#runningNs += endNs - preparedNs;
      elapsedNs += endNs - begunNs;
      nsPerOperation.push((endNs - preparedNs) / this.batch);
      if (endNs - preparedNs < BATCH_NS / 2) this.batch = Math.min(2 * this.batch, this.#mostOperations);
    }
    const usual = nsPerOperation.sort((a, b) => a - b)[nsPerOperation.length >> 1]!;
    this.batch = Math.min(this.#mostOperations, Math.max(1, Math.round(BATCH_NS / usual)));
    return usual;
  }
}

function isFlat(figures: readonly number[]): boolean {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1]!;
  return sorted[0]! >= middle * (1 - FLAT_TOLERANCE) && sorted.at(-1)! <= middle * (1 + FLAT_TOLERANCE);
}

/**
 * Calls a batch without ever inlining it. Inlined into a library's loop, which is compiled while it runs, it would be
 * measured in whatever tier that loop is in. As in the lab's worker, a call site that has met several targets is left
 * alone by the compiler.
 */
function callOutOfLine(run: Runner["run"], operations: number): number {
  return run(operations);
}
callOutOfLine((operations) => operations, 1);
callOutOfLine((operations) => operations + 1, 1);
