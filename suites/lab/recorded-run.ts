import { HOST, noiseBetween, noiseFor, readHost } from "../engine/measure/machine/host-noise.ts";
import { onInterruption } from "../engine/measure/machine/interruption.ts";
import { describeMachine, describeRuntime } from "../engine/measure/machine/machine.ts";
import { METHOD_VERSION, type RunFacts, SCHEMA_VERSION } from "../engine/schema/envelope.ts";
import type { GroupRecord } from "../engine/schema/record.ts";
import { progressLine, readableTime } from "../engine/table/progress.ts";
import { present } from "../engine/words/present.ts";
import { orUsageError } from "./command/usage.ts";
import { disturbancesOf, hostWarnings } from "./disturbance.ts";
import { overviewRecords, simulationRecord, surveyRecord } from "./kinds/assemble-metrics.ts";
import { NOTHING_DONE } from "./kinds/pace.ts";
import type { LabPlan } from "./kinds/plan.ts";
import { type LabObserver, runPlan } from "./kinds/run.ts";
import { waitForQuiet } from "./quiet.ts";
import { LabRacing } from "./racing.ts";
import { type Circumstances, doneIn } from "./resume.ts";
import type { BenchRecord, SimulationRecord, SurveyRecord } from "./schema/record.ts";
import { partsOf } from "./schema/record-file.ts";
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
  /** How long to wait for a quiet machine at most; not at all if absent. */
  readonly waitQuietMs?: number | undefined;
  /** Folder for the record while it grows, and for the slices beside it; neither is kept if absent. */
  readonly keptIn?: string | undefined;
}

/** Hears of each table as soon as it is whole; the progress line is out of the way meanwhile. */
export interface RunListener {
  /** `groups` are all of a scenario's races at one worker count. `isLast`: no other worker count of it follows. */
  raced?(groups: readonly GroupRecord[], isLast: boolean): void;
  simulated?(simulation: SimulationRecord): void;
  surveyed?(survey: SurveyRecord): void;
}

/** A run in progress: what a record will say of it, and how it is watched and stopped. */
export interface RunUnderWay {
  /** What has to be the same for a run to be gone on with. */
  readonly circumstances: Circumstances;
  /** When it, or the run that it goes on with, was started. */
  readonly startedAt: string;
  /** Aborted by Ctrl-C, by SIGTERM and where the terminal is closed. */
  readonly signal: AbortSignal;
  /** On stderr. */
  readonly progress: ReturnType<typeof progressLine>;
  /**
   * Looks at the machine before anything is measured, and reports on stderr what disturbs it. Waits first until the
   * machine is quiet, if that was asked for.
   */
  observe(): Promise<void>;
  /** Reports on stderr what disturbed `what` since the last time, or since the run began. */
  reportDisturbed(what: string): void;
  /** Says on stderr that `what` takes `times` as long as planned, and what disturbs it. */
  reportSlow(what: string, times: number): Promise<void>;
  /** What the record of a run says of it that is not at its end, and was interrupted if it never comes there. */
  facts(): RunFacts;
  /** Unless it was used gives Ctrl-C its usual meaning back; clears the progress line and says all that records say of a run. */
  end(): RunFacts;
}

/** For how long the machine is looked at before a run, in ms: fifty ticks of its counters. */
const LOOK_MS = 500;

/** From now on Ctrl-C ends the run and not the process. `previous` is what is known of a run that is gone on with. */
export function beginRun(
  { seed, profile, size }: Pick<LabPlan, "seed" | "profile" | "size">,
  { command, argv, commit, waitQuietMs }: Pick<RunIdentity, "command" | "argv" | "commit" | "waitQuietMs">,
  previous?: RunFacts,
  host = HOST,
): RunUnderWay {
  const begunAt = new Date().toISOString();
  const [machine, runtime] = [describeMachine(), describeRuntime()];
  const circumstances = { methodVersion: METHOD_VERSION, commit, machine, runtime };
  const startedAt = previous?.startedAt ?? begunAt;
  let begun = readHost(host);
  let lastNoise = begun;
  let before = previous?.before ?? noiseBetween(begun, begun);
  const progress = progressLine(process.stderr);
  const { signal, release } = onInterruption();
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
    after: noiseBetween(begun, readHost(host)),
  });
  return {
    circumstances,
    startedAt,
    signal,
    progress,
    facts,
    async observe() {
      const observe = () => noiseFor(LOOK_MS, host, signal);
      if (waitQuietMs !== undefined)
        await awaitQuiet(waitQuietMs, { machine, observe, nowMs: host.nowMs }, progress, signal);
      const noise = await observe();
      if (!signal.aborted) for (const warning of hostWarnings(noise, machine)) writeLine(warning);
      before = previous?.before ?? noise;
      begun = readHost(host);
      lastNoise = begun;
    },
    reportDisturbed(what) {
      const now = readHost(host);
      const by = whatPasses(noiseBetween(lastNoise, now), machine);
      lastNoise = now;
      if (by.length > 0) writeLine(`${what} was disturbed by ${by.join(", ")}`);
    },
    async reportSlow(what, times) {
      const by = whatPasses(await noiseFor(LOOK_MS, host, signal), machine);
      if (signal.aborted) return;
      progress.clear();
      const why = by.length === 0 ? "" : `: disturbed by ${by.join(", ")}`;
      writeLine(`${what} takes about ${Math.round(times)} times as long as planned${why}`);
    },
    end() {
      // After Ctrl-C its echo may still come, and what was finished is yet to be written.
      if (!signal.aborted) release();
      progress.clear();
      return facts(signal.aborted);
    },
  };
}

async function awaitQuiet(
  waitMs: number,
  looks: Parameters<typeof waitForQuiet>[1],
  progress: RunUnderWay["progress"],
  signal: AbortSignal,
): Promise<void> {
  const left = await waitForQuiet(waitMs, looks, { progress: progress.show }, signal);
  progress.clear();
  if (left.length > 0 && !signal.aborted)
    writeLine(`not quiet after ${readableTime(waitMs)}: measuring all the same`);
}

/**
 * Carries out a plan with a progress line on stderr and returns its record. Finished parts of it are kept on disk
 * meanwhile. Ctrl-C ends it at once; the record then holds what was finished and says that it was interrupted. Throws a
 * UsageError if `previous` cannot be gone on with.
 */
export async function recordedRun(
  plan: LabPlan,
  { previous, keptIn, ...identity }: RunIdentity,
  listener: RunListener = {},
): Promise<BenchRecord> {
  const underWay = beginRun(plan, identity, previous);
  const { circumstances, startedAt, signal, progress, facts } = underWay;
  const done =
    previous === undefined ? NOTHING_DONE : orUsageError(() => doneIn(previous, plan, circumstances));
  await underWay.observe();
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
      ...present({ raw: described }),
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
  const racing = new LabRacing(groups, raw, plan.profile.exactly !== undefined);

  if (!signal.aborted) writeLine(`seed ${plan.seed}`);
  const observer = observerOf(plan, { groups, simulations, surveys }, racing, keep, listener, underWay);
  await runPlan(plan, observer, signal, { done, needed: (group, forks) => racing.needed(group, forks) });
  if (groups.length === 0) raw?.discard();
  return recordOf(underWay.end());
}

/** Adds to a record what a run hears, keeps it, and tells the listener of each table that is whole. */
function observerOf(
  plan: LabPlan,
  { groups, simulations, surveys }: Required<Pick<BenchRecord, "groups" | "simulations" | "surveys">>,
  racing: LabRacing,
  keep: () => void,
  listener: RunListener,
  { progress, reportDisturbed, reportSlow }: RunUnderWay,
): LabObserver {
  const say = (line: string) => {
    progress.clear();
    writeLine(line);
  };
  return {
    progress: progress.show,
    raced(result) {
      const group = racing.finish(result);
      keep();
      const isOfTable = isLike(group, "workers");
      const own = groups.filter(isOfTable);
      if (own.length < plan.groups.filter(isOfTable).length) return;
      progress.clear();
      const isOfScenario = isLike(group);
      const isLast = groups.filter(isOfScenario).length === plan.groups.filter(isOfScenario).length;
      listener.raced?.(own, isLast);
      reportDisturbed(`${group.primitive}/${group.scenario} ${group.workers}w`);
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
      reportDisturbed(`${surveyed.primitive}/${surveyed.scenario}`);
    },
    announced: (wholeMs, isLonger) => say(announcement(wholeMs, isLonger)),
    slow: reportSlow,
    unstripped: (group, reason) =>
      say(`${group} takes longer to start, because its threads strip their modules themselves: ${reason}`),
  };
}

/** What is said of a run's time, after its first piece and where it gets longer. */
export function announcement(wholeMs: number, isLonger: boolean): string {
  const time = readableTime(wholeMs);
  return isLonger
    ? `it takes longer, about ${time} in all: the fewest processes of each group are raced in any case, and no simulation or survey is cut short`
    : `at most about ${time}`;
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Disturbances that might be gone later. */
function whatPasses(...[noise, machine]: Parameters<typeof disturbancesOf>): string[] {
  return disturbancesOf(noise, machine).flatMap(({ by, passes }) => (passes ? [by] : []));
}

type TablePart = Pick<GroupRecord, "primitive" | "scenario" | "workers">;

/** Whether a part is of the same scenario, and the same in all that is `besides`. */
function isLike(part: TablePart, ...besides: (keyof TablePart)[]) {
  const keys = ["primitive", "scenario", ...besides] as const;
  return (other: TablePart) => keys.every((key) => other[key] === part[key]);
}

/** Whether no process was lost and no cell failed, the engine's own and the simulated ones included. */
export function nothingFailed(record: BenchRecord): boolean {
  return (
    record.groups.every(({ lostForks }) => lostForks.length === 0) &&
    partsOf(record).every(({ cells }) => cells.every(({ failure }) => failure === undefined))
  );
}
