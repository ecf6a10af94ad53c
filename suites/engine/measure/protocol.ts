import type { Entry } from "../../../structures/catalog.ts";
import type { Region } from "../../../structures/shared/layout.ts";
import type { Seat } from "../../../structures/shared/seat.ts";
import type { Setup, WorkDone } from "../suite.ts";
import type { GroupPlan, SimulationPlan, SurveyPlan } from "./plan.ts";

/** What the run asks of a fork, over the process channel. Scenario objects stay behind: a fork imports its own. */
export type Job = RaceJob | SimulationJob | SurveyJob | ProfileJob;

export interface RaceJob {
  readonly kind: "race";
  readonly group: Omit<GroupPlan, "race">;
  readonly patienceMs: number;
  readonly fork: number;
  readonly seed: number;
  readonly size: "full" | "smoke";
}

export interface SimulationJob {
  readonly kind: "simulation";
  readonly scenario: Omit<SimulationPlan, "simulation" | "entries">;
  readonly entry: Entry;
  readonly size: "full" | "smoke";
}

export interface SurveyJob {
  readonly kind: "survey";
  readonly scenario: Omit<SurveyPlan, "survey" | "entries">;
  readonly entry: Entry;
  readonly seed: number;
  readonly size: "full" | "smoke";
}

/** Where samples of a profile come from: V8's own profiler in each thread, or Linux perf, which sees the kernel too. */
export type Sampler = "v8" | "perf";

export interface ProfileJob {
  readonly kind: "profile";
  /** Of the one crew that is profiled. */
  readonly group: Omit<GroupPlan, "race">;
  readonly patienceMs: number;
  readonly seed: number;
  readonly size: "full" | "smoke";
  /** How long the workers are to be seen measuring, in ms. */
  readonly windowsMs: number;
  readonly sampler: Sampler;
  /** Whether V8 may inline, as it does in a race. If not, each function keeps a frame of its own, and costs a call. */
  readonly inlining: boolean;
  /** A folder for what a sampler writes, which the asking side reads and removes. */
  readonly scratch: string;
}

/** What a fork answers: how far it is (about once a second), and at its end all it saw. */
export type ForkMessage =
  | { readonly kind: "progress"; readonly share: number }
  | {
      readonly kind: "raced";
      readonly crews: readonly CrewResult[];
      readonly threads: number;
      readonly maxRssBytes: number;
    }
  | { readonly kind: "simulated"; readonly cell: SimulatedCell }
  | { readonly kind: "surveyed"; readonly outcome: SurveyOutcome }
  | { readonly kind: "profiled"; readonly outcome: ProfileOutcome };

/** Why there is no profile, or what the sampler saw and when all workers were measuring. */
export type ProfileOutcome =
  | { readonly failure: Failure }
  | {
      readonly failure?: undefined;
      /** When all workers were measuring, in order and apart. */
      readonly windows: readonly Window[];
      /** By seat. */
      readonly workers: readonly ProfiledWorker[];
    };

/** A stretch of time, in ns of the monotonic clock. */
export interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

export interface ProfiledWorker {
  readonly role: string;
  /** Absent with perf. */
  readonly v8?: V8Profile;
  /** Its thread as the kernel numbers it, by which perf's samples are told apart. */
  readonly kernelThread: number | undefined;
}

export interface V8Profile {
  /** As V8 writes it, whole: windows are cut out of it by who reads it. */
  readonly text: string;
  /** Before V8 was told to end it, and when it had answered: the profile ends in between, soon after the first. */
  readonly ended: Window;
}

/** What one process saw of one competitor. */
export interface SurveyOutcome {
  readonly failure?: Failure;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Why a cell has no number. */
export interface Failure {
  /** `law`: the structure broke a promise. `fault`: it threw, hung, or its thread or process ended. */
  readonly kind: "law" | "fault";
  readonly reason: string;
}

export interface CrewResult {
  readonly name: string;
  readonly failure?: Failure;
  readonly warmUp: { readonly slices: number; readonly flat: boolean };
  /** Operations per batch, for each seat. */
  readonly batches: readonly number[];
  readonly slices: readonly Slice[];
}

/** One slice of one crew. */
export interface Slice {
  readonly round: number;
  readonly workers: readonly WorkerSlice[];
}

/** What one worker did in one slice. Times are ns since the crew's window opened. */
export interface WorkerSlice {
  /** Those that count: without a crew's extra work. */
  readonly operations: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Time between them in which the next batch was prepared and nothing measured. */
  readonly preparingNs: number;
  /** Operations of the whole slice, ramps and extra work included: what the growth of counters refers to. */
  readonly operationsWithRamps: number;
  /** Counters at the end of the slice, totals since attach. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface SimulatedCell {
  readonly competitor: string;
  readonly failure?: Failure;
  /** The metrics of each seed, in the order of the plan; none with a failure. */
  readonly samples: readonly Readonly<Record<string, number>>[];
  /** Of the first seed. */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

export interface SurveyedCell {
  readonly competitor: string;
  readonly failure?: Failure;
  /** One for each process that ended well. */
  readonly forks: readonly Readonly<Record<string, number>>[];
}

/** What a worker thread is told when it joins a crew. */
export interface Assignment {
  readonly body:
    | {
        readonly kind: "race";
        readonly suiteUrl: string;
        readonly scenario: string;
        readonly competitorUrl: string;
        /** As in the crew's plan. */
        readonly extraWork: number;
      }
    | { readonly kind: "control" | "empty" };
  readonly setup: Setup<unknown>;
  readonly shared: unknown;
  readonly seat: Seat;
  readonly gate: Region;
}

/** What a worker thread says, between slices only. */
export type WorkerMessage =
  | { readonly kind: "attached"; readonly seat: number; readonly thread: ThreadNumbers }
  | {
      readonly kind: "slice";
      readonly seat: number;
      readonly batch: number;
      readonly slice: WorkerSlice;
      readonly work: WorkDone;
    };

/** How Node and, where it tells, the kernel number a worker's thread. */
export interface ThreadNumbers {
  readonly node: number;
  readonly kernel: number | undefined;
}
