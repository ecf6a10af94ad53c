import { Worker } from "node:worker_threads";
import { CONFINEMENT } from "../measure/machine/confinement.ts";
import { messageOf } from "../measure/plan/failures.ts";
import type { TaskAddress } from "./address.ts";
import { IMPORT_LIMIT_S } from "./import-file.ts";
import { endStarted } from "./processes.ts";

/** What a look at one task found, before any race. */
export interface Probe {
  /** How long it took to import the file and make the task ready, in a thread of its own, in ms. Undefined where that failed. */
  readonly importMs?: number;
  /** Why it cannot be run, in one line; undefined where it can. */
  readonly failure?: string;
  /** Undefined with a failure. */
  readonly work?: ProbedWork;
}

/** What a task did in some 50 ms. */
export interface ProbedWork {
  /** The middle of what its operations took, with the loop that calls them. */
  readonly nsPerOperation: number;
  /** What its hooks took for each operation, which a race leaves out. Absent without hooks. */
  readonly nsOfHooks?: number;
  /** Whether operations or hooks return promises. */
  readonly isAsync: boolean;
  /**
   * Of an async task: the share of its time in which its thread asked for no core, 0 .. 1. Undefined where the runtime does
   * not report it.
   */
  readonly waitingShare?: number;
  /** Time from one collection of garbage to the next, in ms; undefined where there were too few. */
  readonly collectionEveryMs?: number;
  /** What works for it beside its own thread. */
  readonly helpers?: "threads" | "the thread pool";
  /** Names of its hooks. */
  readonly hooks: readonly ("beforeEach" | "afterEach")[];
  /** Whether it returns a time that its harness takes for that of the operation. */
  readonly timesItself: boolean;
}

/** What `probe-thread.ts` is started with. */
export interface ProbeRequest {
  readonly task: TaskAddress;
  /** As `Lab.load` gets it. */
  readonly seed: number;
  /** A task whose operations take longer is not looked at any closer, in ns: there is no time to race it. */
  readonly longestNs?: number | undefined;
  /** For how long it is run at least, in ns. */
  readonly leastNs?: number;
  /** Folder for a CPU profile of its thread; none is made if absent. */
  readonly profileTo?: string;
}

/** What `probe-thread.ts` says: that its task is ready to run, and what it found. */
export type ProbeMessage = "ready" | Probe;

/** A worker that does not end a slice of two operations in 8 s counts as hung: a task whose operations take longer is refused. */
export const MOST_NS = 2e9;
/** A task that has not ended its look this long after it was ready, in ms, is too slow to be raced. */
const OPERATIONS_LIMIT_MS = 30_000;
/** A set-up may take 30 s after the longest import, in s. */
const READY_LIMIT_S = IMPORT_LIMIT_S + 30;
/** A look at one task has ended after this long, in ms. */
export const LIMIT_MS = 1000 * READY_LIMIT_S + OPERATIONS_LIMIT_MS;

/** Node ends a thread with this code where nothing is left that could settle what its module awaits. */
const NEVER_SETTLED = 13;

/** For a `CallJob`: looks at one task after the other, each in a thread of its own, up to one that there is no time to race. */
export default async function probe({
  tasks,
  limitMs = OPERATIONS_LIMIT_MS,
  ...how
}: Omit<ProbeRequest, "task"> & {
  readonly tasks: readonly TaskAddress[];
  readonly limitMs?: number;
}): Promise<Probe[]> {
  endStarted();
  const probes: Probe[] = [];
  for (const task of tasks) {
    const found = await probeOne({ task, ...how }, limitMs);
    probes.push(found);
    if (isTooLong(found, how.longestNs)) break;
  }
  return probes;
}

/** Whether an operation is longer than there is time for, and not so long that its task is refused in any case. */
export function isTooLong({ work }: Probe, longestNs = Number.POSITIVE_INFINITY): boolean {
  return work !== undefined && work.nsPerOperation > longestNs && work.nsPerOperation <= MOST_NS;
}

function profiling({ profileTo }: ProbeRequest): string[] {
  if (profileTo === undefined) return [];
  return ["--cpu-prof", `--cpu-prof-dir=${profileTo}`, "--cpu-prof-interval=200"];
}

async function probeOne(request: ProbeRequest, limitMs: number): Promise<Probe> {
  const worker = new Worker(new URL("./probe-thread.ts", import.meta.url), {
    workerData: request,
    execArgv: [...CONFINEMENT, ...profiling(request)],
  });
  const { promise, resolve } = Promise.withResolvers<Probe>();
  const limited = (ms: number, failure: string) => setTimeout(() => resolve({ failure }), ms);
  let timer = limited(1000 * READY_LIMIT_S, `its import and set-up took over ${READY_LIMIT_S} s`);
  worker.on("message", (message: ProbeMessage) => {
    if (message !== "ready") return resolve(message);
    clearTimeout(timer);
    timer = limited(limitMs, `three operations took over ${limitMs / 1000} s`);
  });
  worker.once("error", (error) => resolve({ failure: `it threw outside of any call: ${messageOf(error)}` }));
  worker.once("exit", (code) => {
    const why =
      code === NEVER_SETTLED
        ? "a promise that it waits for never settles"
        : `it ended its thread with exit code ${code}`;
    resolve({ failure: why });
  });
  const found = await promise;
  clearTimeout(timer);
  await worker.terminate();
  return found;
}
