import type { GroupPlan } from "./plan.ts";

/** Where a process runs, by paths. */
export interface Surroundings {
  /** Its working folder; this process's if absent. */
  readonly cwd?: string | undefined;
  /**
   * The only folder that it may write to, which is its folder for temporary files too. What it prints goes nowhere. It may
   * write anywhere if absent.
   */
  readonly confinedTo?: string | undefined;
}

/** What the run asks of a fork, over the process channel. Scenario objects stay behind: a fork imports its own. */
export type Job = RaceJob | CallJob;

export interface RaceJob extends Surroundings {
  readonly kind: "race";
  /** As in the plan. */
  readonly lab: string | undefined;
  readonly group: Omit<GroupPlan, "race">;
  readonly patienceMs: number;
  readonly fork: number;
  /** Core on which every crew's worker 0 runs, the others following; counted as usableCoreNumbers lists them. */
  readonly firstCore: number;
  /** What an undisturbed core's tag is, in ns, as far as the run has seen; absent in its first fork. */
  readonly referenceNs?: number;
  readonly seed: number;
  readonly size: "full" | "smoke";
  /** URL of the program that hands the fork and its threads their modules; absent where there is none. */
  readonly program?: string | undefined;
}

/**
 * Whatever is no race: what the default export of `module` returns for `argument` (see `Called`). Both cross by structured
 * clone. It may be unknown code, which may not even end.
 */
export interface CallJob extends Surroundings {
  readonly kind: "call";
  /** URL. */
  readonly module: string;
  readonly argument: unknown;
  /** It measures, and nothing may run beside it: not even what would end it with its parent while it does not return. */
  readonly isAlone?: true;
  /** Flags of Node for its process. */
  readonly flags?: readonly string[];
}

/** What a module that is called exports by default. `say` takes how far it is. */
export type Called<Argument, Value> = (argument: Argument, say: Say) => Value | Promise<Value>;

/** What a fork answers: how far it is (about once a second), and at its end all it saw. */
export type ForkMessage =
  | { readonly kind: "progress"; readonly share: number }
  /** An exception was thrown outside of any call, and the process ends. */
  | { readonly kind: "fault"; readonly reason: string }
  /** The instrument found itself broken (see failures.ts): no crew is to blame, and the process ends. */
  | { readonly kind: "broken"; readonly reason: string }
  | {
      readonly kind: "raced";
      readonly crews: readonly CrewResult[];
      readonly threads: number;
      readonly maxRssBytes: number;
      /** Whether every worker ran on a core of its own, or on one that it shared with as few as possible. */
      readonly pinned: boolean;
    }
  | { readonly kind: "called"; readonly value: unknown };

/** A fork hears its jobs so. Only its own program has the token: who else answers in its process does not have it. */
export interface SignedJob {
  readonly job: Job;
  readonly token: string;
}

export type SignedMessage = ForkMessage & { readonly token?: string | undefined };

/** Sends a message of the fork's program; calls back when it is on its way. */
export type Say = (message: ForkMessage, sent?: () => void) => void;

/** A stretch of time, in ns of the monotonic clock. */
export interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

/** What a fork asks of a crew in one round. */
export interface MeasureOrder {
  readonly sliceUs: number;
  /** Whether workers give their account at its end. */
  readonly account: boolean;
  /** Whether to ask the kernel for the CPU time of the slice. Not where an account is given, which takes CPU time too. */
  readonly withCpu: boolean;
}

/** Why a cell has no number. */
export interface Failure {
  /** `law`: the structure broke a promise. `fault`: it threw, hung, or its thread or process ended. */
  readonly kind: "law" | "fault";
  readonly reason: string;
}

/** What one process saw of one crew, raw: an entry for each slice, in the order in which they were run. */
export interface CrewResult {
  readonly name: string;
  readonly failure?: Failure;
  readonly warmUp: { readonly slices: number; readonly flat: boolean };
  /** Allocations that were to lie in the arena and found no place there; absent if there are none. */
  readonly strays?: number;
  /** Operations per batch, for each worker. */
  readonly batches: readonly number[];
  /** In which round of the fork each slice was run, from 0 on. */
  readonly rounds: readonly number[];
  /** By worker. */
  readonly workers: readonly WorkerSlices[];
  /**
   * How long a line took between the cores of workers 0 and 1, in ns (see handover.ts); 0 where worker 1 did not come. Absent
   * for one worker, and with more workers than cores.
   */
  readonly handoverNs?: readonly number[];
  /** The crew's own account before its first measured slice and after its last: what the growth of counters refers to. */
  readonly accounts?: { readonly first: Account; readonly last: Account };
  /** Which optimised code each worker ran (see ../machine/compiled-code.ts), "" where that is not known; absent where nothing was noted. */
  readonly compiled?: readonly string[];
  /** CPU time of the crew's threads over some of its slices, ramps included, and all operations run in them. */
  readonly cpu?: { readonly ns: number; readonly operations: number };
  /** What its only worker allocates; absent where the plan does not ask for that. */
  readonly allocation?: Allocation;
}

/** What one worker did, slice by slice. Times are ns since the crew's window opened. */
export interface WorkerSlices {
  /** The operations that count: without a crew's extra work. */
  readonly operations: readonly number[];
  readonly startNs: readonly number[];
  readonly endNs: readonly number[];
  /** Time between them in which the next batch was prepared and nothing measured; absent where a race prepares nothing. */
  readonly preparingNs?: readonly number[];
  /**
   * What a private `Atomics.add` cost this worker right before and right after its window, in ns: the speed of its core
   * (see tag.ts). The larger of the two is the slice's tag.
   */
  readonly tagNs: readonly number[];
}

/** Totals since attach, by worker. */
export interface Account {
  readonly operations: readonly number[];
  readonly counters: readonly Readonly<Record<string, number>>[];
}

/** What operations of a crew's only worker allocated on the heap of V8 (see ../fork/allocation.ts). */
export interface Allocation {
  /** Of one operation, in bytes: the mean of the middle half of all blocks. Undefined where too few had no collection. */
  readonly bytes?: number;
  /** In all blocks. */
  readonly operations: number;
  readonly collections: number;
  /** Time of all blocks, and the part of it in which the thread collected, in ns. */
  readonly tookNs: number;
  readonly collectingNs: number;
}

/** What one worker had of a slice for its operations, in ns: all but the time in which batches were prepared. */
export function timeOf(startNs: number, endNs: number, preparingNs = 0): number {
  return endNs - startNs - preparingNs;
}

/** Operations per ns that it did in that time. */
export function rateOf(operations: number, startNs: number, endNs: number, preparingNs?: number): number {
  return operations / timeOf(startNs, endNs, preparingNs);
}

/** What one of several workers waits for one operation, in ns: as many as there are by the sum of their rates. */
export function costOf(rates: readonly number[]): number {
  return rates.length / rates.reduce((sum, rate) => sum + rate, 0);
}

const PROGRESS_EVERY_MS = 1_000;

/** Reports to the parent how far the fork is, seldom enough that hearing it does not disturb a measurement. */
export function progressReporter(steps: number, say: Say) {
  let done = 0;
  let saidMs = performance.now();
  const at = (share: number) => {
    if (performance.now() - saidMs < PROGRESS_EVERY_MS) return;
    saidMs = performance.now();
    say({ kind: "progress", share });
  };
  return { at, step: () => at(++done / steps) };
}
