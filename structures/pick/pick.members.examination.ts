import { setImmediate, setTimeout } from "node:timers/promises";
import type { Piscina } from "piscina";
import { allocateRegion, type Region, STRIDE_WORDS } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { checkedIndex, PlayedCrew } from "./parts/simulation.ts";
import { sumOf } from "./parts/weights.ts";
import type { PickCompetitor, PickSetup } from "./pick.contract.ts";
import { makePicker, membersOf, type PickInstance } from "./pick.instance.ts";
import {
  drainedStaysOut,
  picksAreInRange,
  settledIsTold,
  sharesFollowWeights,
  ticketsAreConserved,
} from "./pick.laws.ts";

/**
 * The laws of a change of members, applied to a picker that has `members`. One thread plays its workers, and then real
 * workers pick all the while.
 */
export async function membersLaws(
  competitor: PickCompetitor,
  url: string,
  threads: Piscina,
): Promise<(string | undefined)[]> {
  const sentences: (string | undefined)[] = [];
  for (const firstTicket of [0, 2 ** 31 - TICKETS_BELOW_WRAP, 2 ** 32 - TICKETS_BELOW_WRAP])
    sentences.push(...playedLaws(competitor, firstTicket));
  for (const workers of [2, 4]) {
    const seen = await changedUnderWorkers(competitor, url, { workers, changes: CHANGES }, threads);
    sentences.push(...seen.sentences);
  }
  return sentences;
}

const SEED = 20_261_120;
const BACKENDS = 8;

/** Changes while one thread plays three workers; each has as many picks as it takes to show the shares. */
function* playedLaws(competitor: PickCompetitor, firstTicket: number) {
  const setup = { backends: BACKENDS, seed: SEED, firstTicket, workers: 3 };
  const crew = new PlayedCrew(competitor, setup);
  const members = membersOf(competitor, crew.instance);
  yield settledIsTold(0, members.isSettled());
  let picks = 0;
  for (const [stage, weights] of scheduleOf(PLAYED_CHANGES).entries()) {
    members.change(weights.entries());
    yield settledIsTold(setup.workers, members.isSettled());
    // One, two and nine changes in a row without a pick: workers find members that are any number of changes on.
    if (!PICKED_AFTER.has(stage % STAGES)) continue;
    const stretch = { ...setup, weights, firstTicket: (firstTicket + picks) % 2 ** 32 };
    const counts = new Array<number>(BACKENDS + 1).fill(0);
    for (let pick = 0; pick < PICKS_PLAYED; pick++) {
      if (pick <= setup.workers) yield settledIsTold(setup.workers - pick, members.isSettled());
      counts[columnOf(checkedIndex(crew.pick(pick % setup.workers)))]!++;
    }
    picks += PICKS_PLAYED;
    yield drainedStaysOut(sumOf(counts.filter((_, backend) => weights[backend] === 0)));
    yield* stretchLaws(competitor, stretch, counts, 0);
  }
  yield ticketsAreConserved(crew.work());
}

const PLAYED_CHANGES = 80;
/** Of this number of stages, the ones after which workers pick. */
const STAGES = 12;
const PICKED_AFTER: ReadonlySet<number> = new Set([0, 1, 3]);
const PICKS_PLAYED = 301;
/** Few enough that the changes go across the wrap. */
const TICKETS_BELOW_WRAP = 3_000;

/** What picks between two changes are held to. `counts` is a column for each backend and one for other numbers. */
function* stretchLaws(
  competitor: PickCompetitor,
  setup: PickSetup & { readonly weights: readonly number[] },
  counts: readonly number[],
  slack: number,
) {
  yield picksAreInRange(counts, BACKENDS);
  const bound = competitor.shareBound!(setup, sumOf(counts)) + slack;
  yield sharesFollowWeights(counts.slice(0, BACKENDS), setup.weights, bound);
}

/** Weights before any change, all 1, and after each: in every change one backend is added, drained or weighed anew. */
function scheduleOf(changes: number): number[][] {
  const random = new Random(SEED);
  const schedule = [new Array<number>(BACKENDS).fill(1)];
  while (schedule.length <= changes) {
    const weights = [...schedule.at(-1)!];
    const backend = random.below(BACKENDS);
    weights[backend] = (weights[backend]! + 1 + random.below(HEAVIEST)) % (HEAVIEST + 1);
    if (weights.filter((weight) => weight > 0).length >= FEWEST_MEMBERS) schedule.push(weights);
  }
  return schedule;
}

const HEAVIEST = 3;
const FEWEST_MEMBERS = 2;

/** What a worker is asked to do: pick until all changes have been made. */
export interface MembersTask {
  readonly url: string;
  readonly instance: PickInstance;
  readonly index: number;
  /** Weights of each backend before any change, and after each. */
  readonly schedule: Region;
  /** At STEPS twice the changes that returned, and 1 more during one; at ENDED whether it is over. */
  readonly progress: Region;
  /** At index * STRIDE_WORDS the picks of each worker so far, modulo 2^32. */
  readonly made: Region;
}
export const STEPS = 0;
export const ENDED = 1;

/** What it saw. */
export interface MembersReport {
  readonly picks: number;
  /** See `drainedStaysOut`. */
  readonly strays: number;
  /**
   * A row for each number of changes that had returned. It has a column for each backend and one more: the picks that
   * began while no change was in progress.
   */
  readonly counts: Int32Array;
}

export interface Changing {
  readonly workers: number;
  readonly changes: number;
  /** Time from one change to the next. If absent, a change comes when workers have made enough picks since the last. */
  readonly everyMs?: number;
}

/** The laws broken, and all picks made, while one thread changes members and workers pick without a pause. */
export async function changedUnderWorkers(
  competitor: PickCompetitor,
  url: string,
  { workers, changes, everyMs }: Changing,
  threads: Piscina,
): Promise<{ sentences: (string | undefined)[]; picks: number }> {
  const wanted = { backends: BACKENDS, seed: SEED, firstTicket: 0, workers };
  const instance = makePicker(competitor, wanted);
  const { memory, setup } = instance;
  const members = membersOf(competitor, instance);
  const weights = scheduleOf(changes);
  const schedule = allocateRegion(weights.length * BACKENDS);
  schedule.set(weights.flat());
  const progress = allocateRegion(2);
  const made = allocateRegion(workers * STRIDE_WORDS);
  const filename = new URL("./pick.members.examination.worker.ts", import.meta.url).href;
  const working = Promise.all(
    Array.from({ length: workers }, (_, index): Promise<MembersReport> => {
      return threads.run({ url, instance, index, schedule, progress, made } satisfies MembersTask, {
        filename,
      });
    }),
  );
  const failed = working.then(() => {});
  try {
    await Promise.race([failed, untilAll(made, workers, 1, MOST_MS_TO_START)]);
    const startMs = performance.now();
    for (let change = 1; change <= changes; change++) {
      Atomics.store(progress, STEPS, 2 * change - 1);
      members.change(weights[change]!.entries());
      Atomics.store(progress, STEPS, 2 * change);
      const enough =
        everyMs === undefined
          ? untilAll(made, workers, PICKS_BETWEEN, MOST_MS_BETWEEN)
          : setTimeout(startMs + change * everyMs - performance.now());
      await Promise.race([failed, enough]);
    }
  } finally {
    Atomics.store(progress, ENDED, 1);
  }
  const reports = await working;
  const sentences = [...reportedLaws(competitor, setup, weights, reports)];
  const perWorker = reports.map(({ picks }) => ({ picks, checksum: 0, counters: {} }));
  sentences.push(ticketsAreConserved({ setup, state: competitor.inspect(memory, setup), perWorker }));
  return { sentences, picks: sumOf(reports.map(({ picks }) => picks)) };
}

/** In examinations. */
const CHANGES = 50;
const PICKS_BETWEEN = 300;
/** After which the next change comes although some worker has hardly picked: laws hold of few picks, too. */
const MOST_MS_BETWEEN = 20;
const MOST_MS_TO_START = 10_000;
/** From one look at what they have made to the next: about as long as it takes them to make enough. */
const LOOK_MS = 0.05;
const NEVER = allocateRegion(1);

/** Resolves when every worker has made `picks` more, or when the time is up. */
async function untilAll(made: Region, workers: number, picks: number, mostMs: number): Promise<void> {
  const latestMs = performance.now() + mostMs;
  for (let worker = 0; worker < workers; worker++) {
    const word = worker * STRIDE_WORDS;
    const before = Atomics.load(made, word);
    while (((Atomics.load(made, word) - before) | 0) < picks && performance.now() < latestMs) {
      // Asleep, because workers need the cores; and by a turn of the event loop, which hears of one that failed.
      Atomics.wait(NEVER, 0, 0, LOOK_MS);
      await setImmediate();
    }
  }
}

/**
 * A pick that begins between two changes may end after the second has begun and use that. One that is in progress when
 * the first returns may use the first. So each worker may count one pick of another stretch in this one, and one of
 * this one not at all.
 */
function* reportedLaws(
  competitor: PickCompetitor,
  setup: PickSetup,
  schedule: readonly (readonly number[])[],
  reports: readonly MembersReport[],
) {
  yield drainedStaysOut(sumOf(reports.map(({ strays }) => strays)));
  const columns = BACKENDS + 1;
  for (const [row, weights] of schedule.entries()) {
    const counts = Array.from({ length: columns }, (_, column) =>
      sumOf(reports.map((report) => report.counts[row * columns + column]!)),
    );
    yield* stretchLaws(competitor, { ...setup, weights }, counts, 2 * setup.workers);
  }
}

/** The column of what was picked: that of its backend, or the one of what is none. */
export function columnOf(picked: number, backends = BACKENDS): number {
  return picked >= 0 && picked < backends ? picked : backends;
}
