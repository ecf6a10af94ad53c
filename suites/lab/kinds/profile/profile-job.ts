import { join } from "node:path";
import type { GroupPlan } from "../../../engine/measure/plan/plan.ts";
import type { CallJob, Failure, Window } from "../../../engine/measure/plan/protocol.ts";

/** Where samples of a profile come from: V8's own profiler in each thread, or Linux perf, which sees the kernel too. */
export type Sampler = "v8" | "perf";

export interface ProfileJob {
  /** As in the plan. */
  readonly lab: string | undefined;
  /** Of the one crew that is profiled. */
  readonly group: Omit<GroupPlan, "race">;
  readonly patienceMs: number;
  readonly seed: number;
  readonly size: "full" | "smoke";
  /** How long the workers are to be seen measuring, in ms. */
  readonly windowsMs: number;
  readonly sampler: Sampler;
  /** A folder for the files of a sampler, which the asking side reads and removes. */
  readonly scratch: string;
}

/** Time from one sample of V8's profiler to the next, in us: a few thousand samples in some seconds. */
const V8_SAMPLE_US = 250;

const { href: PROFILE } = new URL("./profile.ts", import.meta.url);

/** A profiling pass, for a fork. */
export function profileJob(argument: ProfileJob): CallJob {
  return { kind: "call", module: PROFILE, argument, isAlone: true, flags: flagsOf(argument) };
}

function flagsOf({ sampler, scratch }: ProfileJob): string[] {
  const sampling =
    sampler === "v8"
      ? [`--cpu-profiler-sampling-interval=${V8_SAMPLE_US}`]
      : // V8 then writes down what it compiled where, for perf to read.
        // It opens a log for each isolate as well, in the working folder by default.
        ["--perf-basic-prof", `--perf-basic-prof-path=${scratch}`, `--logfile=${join(scratch, "v8.log")}`];
  // Of functions inlined into one another V8 knows which one it is in only at some instructions. Of two loops that were
  // inlined into their caller, nine samples of ten were counted as the caller's own.
  return [...sampling, "--no-turbo-inlining", "--no-maglev-inlining"];
}

/** Why there is no profile, or what the sampler saw and when all workers were measuring. */
export type ProfileOutcome =
  | { readonly failure: Failure }
  | {
      readonly failure?: undefined;
      /** When all workers were measuring, in order and apart. */
      readonly windows: readonly Window[];
      /** By worker index. */
      readonly workers: readonly ProfiledWorker[];
    };

export interface ProfiledWorker {
  readonly role: string;
  /** Absent with perf. */
  readonly v8?: V8Profile;
  /** Its thread as the kernel numbers it, by which perf's samples are separated. */
  readonly kernelThread: number | undefined;
}

export interface V8Profile {
  /** As V8 writes it, whole: its reader cuts windows out of it. */
  readonly text: string;
  /** Before V8 was asked to end it, and when it had answered: the profile ends in between, soon after the first. */
  readonly ended: Window;
}
