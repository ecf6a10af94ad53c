import { setTimeout as delay } from "node:timers/promises";
import type { Piscina } from "piscina";
import type { Examination } from "../shared/contract.ts";
import { makeCrewClock, readCrewClock } from "../shared/crew-clock.ts";
import { examined, threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../shared/layout.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";
import type { Law } from "./parts/observer.ts";
import { privateLaws } from "./parts/private-set.ts";
import { contract, type TimersCompetitor } from "./timers.contract.ts";
import * as laws from "./timers.laws.ts";

/**
 * Every law of timers applied to one competitor. parts/private-set.ts checks what a set promises one caller. The rest
 * is what it promises a crew, examined under worker threads. Each worker adds, cancels, refreshes and advances at
 * random. Handles go from worker to worker on a board, and each writes down what it asked, the answer, and when.
 * Afterwards the examiner drains the set and puts the notes together.
 *
 * Times of the real clock order two calls where one returned before the other began. Where they overlap nothing is
 * held against either order, so that what is found is never a mistake of the examiner's. Threads that run freely seldom
 * meet a fault whose window is a few instructions wide: timers.model.ts covers such faults.
 */

/** What one worker of an examination is asked to do. */
export interface CrewTask {
  readonly url: string;
  readonly memory: Region;
  readonly capacity: number;
  readonly identity: WorkerIdentity;
  /** The virtual clock, the workers that are ready, and the handles to be had, see below. */
  readonly board: Region;
  /** Everybody's, by makeCrewClock. */
  readonly clock: BigInt64Array;
  readonly acts: number;
}

/**
 * The board, written and read by every worker, atomically.
 *
 *     word 0    NOW       the tick it is; only worker 0 moves it
 *     word 32   PRESENT   workers that are ready; they start together when all are
 *     word 64   HANDLES   as many handles as there is room for, 0 where there is none yet
 */
export const NOW = 0;
export const PRESENT = STRIDE_WORDS;
export const HANDLES = 2 * STRIDE_WORDS;

/** A call of one worker about one timer; a report is noted with the advance that made it. */
export interface Call {
  readonly kind: "add" | "cancel" | "refresh" | "report";
  readonly handle: number;
  /** Whether a cancel or a refresh found it live; true for the others. */
  readonly answer: boolean;
  /** Of an add or refresh: the tick asked for. */
  readonly deadline: number;
  /** Of an add or refresh, the board's tick afterwards; of a report, the later of the advance's `now` and its clock. */
  readonly tick: number;
  /** Real time. */
  readonly beganNs: number;
  readonly endedNs: number;
}

export interface CrewReport {
  readonly calls: readonly Call[];
  /** Ticks by which the set's clock was ever ahead of the board's. */
  readonly aheadBy: number;
}

/** Ticks of a timer set ahead at most: beyond a rotation of the wheels with 65,536 slots. */
export const LONGEST_DELAY = 65_536 + 30;

/** A few places, so that they are reused at once and the set is often full, and more than are ever needed. */
const SIZES = [
  { capacity: 16, handles: 8 },
  { capacity: 1000, handles: 32 },
];
const CREWS = [2, 4];
/**
 * Enough that a worker meets others at the same timer hundreds of times, and far fewer than a place has generations. A
 * repeated handle would be taken for the earlier one.
 */
const ACTS = 2000;

export const examination = {
  tries: "400 courses at random, turns of wheels, bad calls; if shared, one set under 2 and 4 workers",
  /** With `until`, ends as soon as that law is found broken. `seeds`: of the races of a crew. */
  examine: (url: string, until?: string, seeds: readonly number[] = SEEDS) =>
    examined(url, contract, (competitor: TimersCompetitor) => lawsBroken(competitor, url, seeds), until),
} satisfies Examination;

const SEEDS = [1, 2, 3];

async function* lawsBroken(competitor: TimersCompetitor, url: string, seeds: readonly number[]) {
  yield* privateLaws(competitor);
  if (competitor.callers === "crew") yield* await crewLaws(competitor, url, seeds);
}

async function crewLaws(
  competitor: TimersCompetitor,
  url: string,
  seeds: readonly number[],
): Promise<string[]> {
  for (const workers of CREWS) {
    const pool = threadsOf(new URL("./timers.examination.worker.ts", import.meta.url), workers);
    try {
      for (const seed of seeds) {
        for (const size of SIZES) {
          const broken = await race(competitor, pool, url, { ...size, workers, seed });
          if (broken.length > 0) return broken;
        }
      }
    } finally {
      await pool.destroy();
    }
  }
  return [];
}

interface Setup {
  readonly capacity: number;
  readonly handles: number;
  readonly workers: number;
  readonly seed: number;
}

/** What the memory held before it was formatted: `format` must not count on zeroes. */
const LEFTOVER = -7;
/**
 * Milliseconds after which a crew counts as stuck. It is hundreds of times what a race takes, because a machine that
 * runs other things may take that much longer.
 */
const STUCK_MS = 60_000;

async function race(
  competitor: TimersCompetitor,
  pool: Piscina,
  url: string,
  { capacity, handles, workers, seed }: Setup,
) {
  const memory = allocateRegion(competitor.words(capacity, workers)).fill(LEFTOVER);
  competitor.format(memory, capacity, workers);
  const board = allocateRegion(HANDLES + handles);
  const identities = Array.from({ length: workers }, (_, index): WorkerIdentity => {
    return { index, workers, role: "worker", seed: 1000 * seed + index };
  });
  const clock = makeCrewClock();
  const nowNs = readCrewClock(clock);
  const task = { url, memory, capacity, board, clock, acts: ACTS };
  const work = Promise.all(
    identities.map((identity) => pool.run({ ...task, identity } satisfies CrewTask) as Promise<CrewReport>),
  );
  const over = new AbortController();
  const patience = delay(STUCK_MS, undefined, { signal: over.signal }).catch(() => undefined);
  const reports = await Promise.race([work, patience]).finally(() => over.abort());
  if (reports === undefined) {
    work.catch(() => {});
    return [`everyWorkerFinishes: ${workers} workers are not done after ${STUCK_MS} ms`];
  }

  const broken: string[] = [];
  const note = (law: Law, sentence: string | undefined) => {
    if (sentence !== undefined) broken.push(`${law}: ${sentence}`);
  };
  const calls = reports.flatMap((report) => report.calls);
  note("neverEarly", laws.neverEarly(Math.max(...reports.map(({ aheadBy }) => aheadBy))));

  const sets = identities.map((identity) => competitor.attach(memory, capacity, identity));
  const made = (kind: Call["kind"]) => calls.filter((call) => call.kind === kind && call.answer).length;
  for (const { size } of sets) {
    note(
      "conserved",
      laws.conserved({ added: made("add"), expired: made("report"), cancelled: made("cancel"), live: size }),
    );
  }
  const out = new Int32Array(capacity + 1);
  const drain = (now: number) =>
    sets.flatMap((set) => {
      const beganNs = nowNs();
      const count = set.advance(now, out, out.length);
      const endedNs = nowNs();
      return Array.from(out.subarray(0, count), (handle): Call => {
        return { kind: "report", handle, answer: true, deadline: 0, tick: now, beganNs, endedNs };
      });
    });
  const last = Atomics.load(board, NOW);
  calls.push(...drain(last));
  const afterwards = drain(last + LONGEST_DELAY + 1);
  calls.push(...afterwards);
  for (const [law, sentence] of judge(calls, { last, afterwards: new Set(afterwards) })) note(law, sentence);
  for (const { size } of sets) {
    note("conserved", size === 0 ? undefined : `${size} timers are counted in a set that was drained`);
  }
  const places = sets.map((set) => addAll(set.add.bind(set), last + 2 * LONGEST_DELAY, capacity));
  const free = places.reduce((sum, count) => sum + count, 0);
  note("conserved", free === capacity ? undefined : `of ${capacity} places ${free} can be used afterwards`);
  return broken;
}

/** Adds until the set is full; returns how many it took. */
function addAll(add: (deadline: number) => number, deadline: number, most: number): number {
  for (let count = 0; ; count++) {
    try {
      add(deadline);
    } catch (error) {
      if (error instanceof RangeError) return count;
      throw error;
    }
    if (count > most) return count;
  }
}

/**
 * Holds all calls against the laws. `last` is the tick to which the whole set was advanced when the workers were done,
 * and `afterwards` the reports of a later advance.
 */
export function* judge(
  calls: readonly Call[],
  { last, afterwards }: { last: number; afterwards: ReadonlySet<Call> },
): Generator<[Law, string | undefined]> {
  const byHandle = Map.groupBy(calls, ({ handle }) => handle);
  for (const [handle, about] of byHandle) {
    const adds = about.filter(({ kind }) => kind === "add");
    const ends = about.filter(({ kind, answer }) => kind === "report" || (kind === "cancel" && answer));
    if (adds.length > 1) yield ["conserved", `${handle} was given out ${adds.length} times`];
    if (adds.length === 0) yield ["reportedOnce", laws.reportedOnce(ends.length)];
    if (adds.length !== 1) continue;
    const [end] = ends;
    if (end === undefined) {
      yield ["conserved", `${handle} was neither cancelled nor reported, not even by the last advance`];
      continue;
    }
    if (ends.length > 1) {
      const reports = ends.filter(({ kind }) => kind === "report").length;
      yield [
        reports > 0 ? "reportedOnce" : "answersTruly",
        `${handle} was reported ${reports} times and cancelled ${ends.length - reports} times`,
      ];
      continue;
    }
    yield ["answersTruly", laws.answersTruly(about.filter((call) => contradicts(call, end)).length)];
    if (end.kind === "report")
      yield* judgeReport(end, deadlineOf(about, end), afterwards.has(end) ? last : undefined);
  }
}

/** Whether a call found a timer live that had certainly ended, or dead that certainly had not. */
function contradicts({ kind, answer, beganNs, endedNs }: Call, end: Call): boolean {
  if (kind !== "cancel" && kind !== "refresh") return false;
  return answer ? kind === "refresh" && beganNs > end.endedNs : endedNs < end.beganNs;
}

/** Adds and refreshes that may be the last before a report: no other certainly followed them. */
function deadlineOf(about: readonly Call[], report: Call): Call[] {
  const moves = about.filter(
    (call) =>
      call.kind === "add" || (call.kind === "refresh" && call.answer && call.beganNs < report.endedNs),
  );
  return moves.filter(
    ({ endedNs }) => !moves.some((later) => later.beganNs > endedNs && later.endedNs < report.beganNs),
  );
}

/** `passed` is the tick that the timer has outlived, where there is one. */
function* judgeReport(
  report: Call,
  moves: readonly Call[],
  passed: number | undefined,
): Generator<[Law, string | undefined]> {
  yield ["neverEarly", laws.neverEarly(Math.min(...moves.map(({ deadline }) => deadline)) - report.tick)];
  if (passed === undefined) return;
  // A due at or behind the clock counts as clock + 1, and the clock was nowhere ahead of the board's.
  const deadline = Math.max(...moves.map((move) => Math.max(move.deadline, move.tick + 1)));
  yield ["withinLateness", laws.withinLateness(passed - deadline + 1, 0)];
}
