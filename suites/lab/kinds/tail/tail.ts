import type { RecordableHistogram } from "node:perf_hooks";
import { labAt } from "../../../engine/lab.ts";
import { importCompetitor } from "../../../engine/measure/load/load.ts";
import { startWorkers } from "../../../engine/measure/load/threads.ts";
import type { Setup, WorkDone, WorkerIdentity } from "../../../engine/race.ts";
import type { Region } from "../../../engine/words/layout.ts";
import { derivedSeed } from "../../../engine/words/random.ts";
import type { Tail } from "../../../shared/vocabulary.ts";
import type { SurveyJob, SurveyOutcome } from "../outcomes.ts";
import type { Arrivals } from "./arrivals.ts";
import { makeMeeting } from "./meeting.ts";
import { mergedTimes, tailFigures } from "./tail-times.ts";

/** What a worker thread of a tail is started with. */
export interface TailAssignment {
  /** Where workers wait for one another (see tail-worker.ts). */
  readonly meeting: Region;
  readonly identity: WorkerIdentity;
  readonly lab: string | undefined;
  readonly moduleUrl: string;
  readonly scenario: string;
  readonly competitorUrl: string;
  readonly setup: Setup<unknown>;
  readonly shared: unknown;
  readonly arrivals: Arrivals;
}

/** What it says at its end: times of all operations that count, in ns. */
export interface TailAnswer {
  readonly work: WorkDone;
  readonly response: RecordableHistogram;
  readonly service: RecordableHistogram;
  readonly empty: RecordableHistogram;
}

/** Makes a tail: W worker threads that serve one schedule each, and the law of their race when all are done. */
export async function surveyTail(
  tail: Tail<unknown, unknown, unknown>,
  { lab, scenario: { moduleUrl, scenario }, entry, seed, size }: SurveyJob,
): Promise<SurveyOutcome> {
  const { race, workers, role: shown, intervalUs, count } = tail;
  const competitor = await importCompetitor(entry.url, lab);
  const setup: Setup<unknown> = { params: tail.params[size], workers, seed, fork: 0 };
  const shared = race.prepare(competitor, setup);
  const meeting = makeMeeting();
  const { startThreads = startWorkers } = await labAt(lab);
  const pool = startThreads(new URL("./tail-worker.ts", import.meta.url).href, workers, () => {});
  const assignments = Array.from({ length: workers }, (_, index): TailAssignment => {
    const role = race.role?.(index, workers) ?? "worker";
    const identity = { index, workers, role, seed: derivedSeed(seed, index) };
    const competitorUrl = entry.url;
    return {
      meeting,
      identity,
      lab,
      moduleUrl,
      scenario,
      competitorUrl,
      setup,
      shared,
      arrivals: { intervalMs: intervalUs / 1000, count: count[size] },
    };
  });
  const answers = await Promise.all(
    assignments.map((assignment) => pool.run(assignment) as Promise<TailAnswer>),
    // Where one has thrown, the others wait for it for ever.
  ).finally(() => pool.destroy());
  const broken = race.law(
    competitor,
    setup,
    shared,
    answers.map(({ work }) => work),
  );
  if (broken !== undefined) return { failure: { kind: "law", reason: broken }, metrics: {} };
  const own = answers.filter(({ work }) => shown === undefined || work.role === shown);
  const timesOf = (key: "response" | "service" | "empty") => mergedTimes(own.map((answer) => answer[key]));
  return {
    metrics: tailFigures({
      response: timesOf("response"),
      service: timesOf("service"),
      empty: timesOf("empty"),
    }),
  };
}
