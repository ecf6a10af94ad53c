import { overviewRecords, simulationRecord, surveyRecord } from "./judge/assemble.ts";
import { describeMachine, describeRuntime, observeHostNoise } from "./measure/machine.ts";
import type { Plan } from "./measure/plan.ts";
import { type Circumstances, doneIn, NOTHING_DONE } from "./measure/resume.ts";
import { planEstimateMs, run } from "./measure/run.ts";
import { Racing } from "./racing.ts";
import { progressLine, readableTime } from "./render/progress.ts";
import { METHOD_VERSION, type RunFacts, SCHEMA_VERSION } from "./schema/envelope.ts";
import {
  type BenchRecord,
  type GroupRecord,
  partsOf,
  type SimulationRecord,
  type SurveyRecord,
} from "./schema/record.ts";
import { EXIT, orUsageError } from "./schema/usage.ts";
import { RawSlices } from "./store/raw.ts";
import { slicesPath } from "./store/results.ts";

/** Which run is recorded, beside its plan. */
export interface RunIdentity {
  /** As it would be typed again. */
  readonly command: string;
  readonly argv: readonly string[];
  readonly commit: BenchRecord["commit"];
  /** An interrupted run's record, which is gone on with. */
  readonly previous?: BenchRecord | undefined;
  /** Folder for the slices, beside the record; they are not kept if absent. */
  readonly slicesIn?: string | undefined;
}

/** Hears of each scenario as soon as it is whole; the progress line is out of the way meanwhile. */
export interface RunListener {
  /** `groups` are all of its races. */
  raced?(groups: readonly GroupRecord[]): void;
  simulated?(simulation: SimulationRecord): void;
  surveyed?(survey: SurveyRecord): void;
}

/** A run that is under way: what a record will say of it, and how it is watched and stopped. */
export interface RunUnderWay {
  /** What has to be the same for a run to be gone on with. */
  readonly circumstances: Circumstances;
  /** When it, or the run that it goes on with, was started. */
  readonly startedAt: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** On stderr. */
  readonly progress: ReturnType<typeof progressLine>;
  /** Unless it was used gives Ctrl-C its usual meaning back; clears the progress line and says all that records say of a run. */
  end(): RunFacts;
}

/**
 * One Ctrl-C arrives twice under `npm run`: from the terminal, which tells every process, and from npm, which passes it
 * on. What comes later than this is another one, from a person who does not want to wait; in ms.
 */
const REPEATED_SIGNAL_MS = 1000;

/** From now on Ctrl-C ends the run and not the process. `previous` is what is known of a run that is gone on with. */
export function beginRun(
  { seed, profile, size }: Pick<Plan, "seed" | "profile" | "size">,
  { command, argv, commit }: Pick<RunIdentity, "command" | "argv" | "commit">,
  previous?: RunFacts,
): RunUnderWay {
  const begunAt = new Date().toISOString();
  const circumstances = {
    methodVersion: METHOD_VERSION,
    commit,
    machine: describeMachine(),
    runtime: describeRuntime(),
  };
  const startedAt = previous?.startedAt ?? begunAt;
  const before = previous?.before ?? observeHostNoise();
  const progress = progressLine(process.stderr);
  const stop = new AbortController();
  let abortedMs = Number.POSITIVE_INFINITY;
  const abort = () => {
    if (performance.now() - abortedMs > REPEATED_SIGNAL_MS) process.exit(EXIT.interrupted);
    abortedMs = Math.min(abortedMs, performance.now());
    stop.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, abort);
  return {
    circumstances,
    startedAt,
    signal: stop.signal,
    progress,
    end() {
      // After Ctrl-C its echo may still come, and what was finished is yet to be written.
      if (!stop.signal.aborted) {
        for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, abort);
      }
      progress.clear();
      return {
        ...circumstances,
        command: previous?.command ?? command,
        argv: [...(previous?.argv ?? argv)],
        seed,
        profile: profile.name,
        size,
        startedAt,
        finishedAt: new Date().toISOString(),
        interrupted: stop.signal.aborted,
        ...(previous === undefined ? {} : { resumedAt: [...(previous.resumedAt ?? []), begunAt] }),
        before,
        after: observeHostNoise(),
      };
    },
  };
}

/**
 * Carries out a plan with a progress line on stderr and returns its record. Ctrl-C ends it at once; the record then
 * holds what was finished and says that it was interrupted. Throws a UsageError if `previous` cannot be gone on with.
 */
export async function recordedRun(
  plan: Plan,
  { previous, slicesIn, ...identity }: RunIdentity,
  listener: RunListener = {},
): Promise<BenchRecord> {
  const { circumstances, startedAt, signal, progress, end } = beginRun(plan, identity, previous);
  const done =
    previous === undefined ? NOTHING_DONE : orUsageError(() => doneIn(previous, plan, circumstances));
  const groups: BenchRecord["groups"] = [...(previous?.groups ?? [])];
  const simulations: BenchRecord["simulations"] = [...(previous?.simulations ?? [])];
  const surveys: NonNullable<BenchRecord["surveys"]> = [...(previous?.surveys ?? [])];

  const raw =
    slicesIn === undefined
      ? undefined
      : new RawSlices(
          slicesPath({ ...circumstances, startedAt }, slicesIn),
          previous !== undefined,
          (line) => {
            progress.clear();
            process.stderr.write(line);
          },
        );
  const racing = new Racing(groups, raw, plan.profile.exactly !== undefined);

  process.stderr.write(`seed ${plan.seed}, about ${readableTime(planEstimateMs(plan, done))}\n`);
  await run(
    plan,
    {
      progress: progress.show,
      raced(result) {
        const isOfScenario = isLike(racing.finish(result));
        const own = groups.filter(isOfScenario);
        if (own.length < plan.groups.filter(isOfScenario).length) return;
        progress.clear();
        listener.raced?.(own);
      },
      simulated(result) {
        const simulated = simulationRecord(result);
        simulations.push(simulated);
        progress.clear();
        listener.simulated?.(simulated);
      },
      surveyed(result) {
        const surveyed = surveyRecord(result);
        surveys.push(surveyed);
        progress.clear();
        listener.surveyed?.(surveyed);
      },
    },
    signal,
    done,
    (group, forks) => racing.needed(group, forks),
  );
  if (groups.length === 0) raw?.discard();
  const slices = raw?.describe();
  return {
    kind: "bench",
    schemaVersion: SCHEMA_VERSION,
    ...end(),
    ...(slices === undefined ? {} : { raw: slices }),
    groups,
    simulations,
    surveys,
    ...overviewRecords(plan),
  } satisfies BenchRecord;
}

/** Whether a part is of the same scenario. */
function isLike(part: Pick<GroupRecord, "primitive" | "scenario">) {
  return ({ primitive, scenario }: typeof part) => primitive === part.primitive && scenario === part.scenario;
}

/** Whether no process was lost and no cell failed, the engine's own and the simulated ones included. */
export function nothingFailed(record: BenchRecord): boolean {
  return (
    record.groups.every(({ lostForks }) => lostForks.length === 0) &&
    partsOf(record).every(({ cells }) => cells.every(({ failure }) => failure === undefined))
  );
}
