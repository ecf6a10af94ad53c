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
import { KeptRecord, localPath } from "./store/keep.ts";
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
  /** Folder for the record while it grows, and for the slices beside it; neither is kept if absent. */
  readonly keptIn?: string | undefined;
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
  /** Aborted by Ctrl-C, by SIGTERM and where the terminal is closed. */
  readonly signal: AbortSignal;
  /** On stderr. */
  readonly progress: ReturnType<typeof progressLine>;
  /** What the record of a run says of it that is not at its end, and was interrupted if it never comes there. */
  facts(): RunFacts;
  /** Unless it was used gives Ctrl-C its usual meaning back; clears the progress line and says all that records say of a run. */
  end(): RunFacts;
}

/**
 * One Ctrl-C arrives twice under `npm run`: from the terminal, which tells every process, and from npm, which passes it
 * on. What comes later than this is another one, from a person who does not want to wait; in ms.
 */
const REPEATED_SIGNAL_MS = 1000;

/** Ctrl-C, a polite kill, and a terminal that was closed. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
  for (const name of ENDING) process.on(name, abort);
  const facts = (interrupted = true): RunFacts => ({
    ...circumstances,
    command: previous?.command ?? command,
    argv: [...(previous?.argv ?? argv)],
    seed,
    profile: profile.name,
    size,
    startedAt,
    finishedAt: new Date().toISOString(),
    interrupted,
    ...(previous === undefined ? {} : { resumedAt: [...(previous.resumedAt ?? []), begunAt] }),
    before,
    after: observeHostNoise(),
  });
  return {
    circumstances,
    startedAt,
    signal: stop.signal,
    progress,
    facts,
    end() {
      // After Ctrl-C its echo may still come, and what was finished is yet to be written.
      if (!stop.signal.aborted) {
        for (const name of ENDING) process.off(name, abort);
      }
      progress.clear();
      return facts(stop.signal.aborted);
    },
  };
}

/**
 * Carries out a plan with a progress line on stderr and returns its record, of which what is finished is kept on disk
 * meanwhile. Ctrl-C ends it at once; the record then holds what was finished and says that it was interrupted. Throws a UsageError if `previous` cannot be gone on with.
 */
export async function recordedRun(
  plan: Plan,
  { previous, keptIn, ...identity }: RunIdentity,
  listener: RunListener = {},
): Promise<BenchRecord> {
  const { circumstances, startedAt, signal, progress, facts, end } = beginRun(plan, identity, previous);
  const done =
    previous === undefined ? NOTHING_DONE : orUsageError(() => doneIn(previous, plan, circumstances));
  const groups: BenchRecord["groups"] = [...(previous?.groups ?? [])];
  const simulations: BenchRecord["simulations"] = [...(previous?.simulations ?? [])];
  const surveys: NonNullable<BenchRecord["surveys"]> = [...(previous?.surveys ?? [])];

  const say = (line: string) => {
    progress.clear();
    process.stderr.write(line);
  };
  const slices = keptIn === undefined ? undefined : slicesPath({ ...circumstances, startedAt }, keptIn);
  // Slices of a part of the groups alone would be of no use.
  const areLost = groups.length > 0 && previous?.raw === undefined;
  const raw = slices === undefined || areLost ? undefined : new RawSlices(slices, previous?.raw, say);
  const kept = new KeptRecord(say);
  const recordOf = (run: RunFacts): BenchRecord => {
    const described = raw?.describe();
    return {
      kind: "bench",
      schemaVersion: SCHEMA_VERSION,
      ...run,
      ...(described === undefined ? {} : { raw: described }),
      groups,
      simulations,
      surveys,
      ...overviewRecords(plan),
    };
  };
  const keep = () => {
    if (keptIn === undefined) return;
    const record = recordOf(facts());
    kept.keep(localPath(record, keptIn), record, partsOf(record).length);
  };
  const racing = new Racing(groups, raw, plan.profile.exactly !== undefined);

  process.stderr.write(`seed ${plan.seed}, about ${readableTime(planEstimateMs(plan, done))}\n`);
  await run(
    plan,
    {
      progress: progress.show,
      raced(result) {
        const isOfScenario = isLike(racing.finish(result));
        keep();
        const own = groups.filter(isOfScenario);
        if (own.length < plan.groups.filter(isOfScenario).length) return;
        progress.clear();
        listener.raced?.(own);
      },
      simulated(result) {
        const simulated = simulationRecord(result);
        simulations.push(simulated);
        keep();
        progress.clear();
        listener.simulated?.(simulated);
      },
      surveyed(result) {
        const surveyed = surveyRecord(result);
        surveys.push(surveyed);
        keep();
        progress.clear();
        listener.surveyed?.(surveyed);
      },
    },
    signal,
    done,
    (group, forks) => racing.needed(group, forks),
  );
  if (groups.length === 0) raw?.discard();
  return recordOf(end());
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
