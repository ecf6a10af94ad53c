import type { Piscina } from "piscina";
import type { Examination } from "../shared/contract.ts";
import { makeCrewClock } from "../shared/crew-clock.ts";
import { examined, threadsOf } from "../shared/examination.ts";
import { freeSeat } from "../shared/instance.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { derivedSeed, type WorkerIdentity } from "../shared/worker-identity.ts";
import { withBackends } from "./parts/backends.ts";
import { checkedIndex, loads, PlayedCrew, resonance } from "./parts/simulation.ts";
import {
  contract,
  type Order,
  type PickCompetitor,
  type PickSetup,
  type PickState,
} from "./pick.contract.ts";
import { ejectionLaws } from "./pick.ejection.examination.ts";
import { attachPicker, makePicker, startBackground } from "./pick.instance.ts";
import { latencyLaws } from "./pick.latency.examination.ts";
import {
  cyclesArePermutations,
  drawsAreIndependent,
  equalBackendsAreServed,
  failingAreSpared,
  gapIsBounded,
  inFlightIsConserved,
  instancesAreIndependent,
  instancesBeginApart,
  loadsAreSpread,
  noBackendIsLeftOut,
  nothingIsDoneYet,
  noWorseThanChance,
  outcomesDecide,
  type PickEvent,
  patternsAreBroken,
  picksAreCalledFor,
  picksAreInRange,
  restartsGoOn,
  seedsDiffer,
  sharesFollowWeights,
  streamsDiffer,
  ticketsAreLinearizable,
  totalsAreRight,
  workersBeginApart,
} from "./pick.laws.ts";
import { membersLaws } from "./pick.members.examination.ts";
import { probesLaws } from "./pick.probes.examination.ts";

/**
 * Every law of pick applied to one competitor, alone and under workers, in the order of cost. A competitor that passes
 * is as good as the laws can show; each mutant must fail. Written once, so that a newcomer is examined like every other
 * competitor.
 */

/** What one worker of an examination is asked to do. */
export interface PickTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: PickSetup;
  readonly identity: WorkerIdentity;
  readonly picks: number;
  /** Whether to note when each pick was called and returned. */
  readonly timed: boolean;
  /** Whether backend 0 fails each request at once, while no time passes: for a picker that ejects. */
  readonly failing: boolean;
  /** One word in which the workers count themselves in, so that they start together. */
  readonly start: Region;
  /** Everybody's, by makeCrewClock. */
  readonly clock: BigInt64Array;
}

/** What it saw, of fewer picks than asked for where the race took too long. Clock readings are empty unless timed. */
export interface PickReport {
  readonly picked: Int32Array;
  readonly counters: Readonly<Record<string, number>>;
  readonly calledNs: Float64Array;
  readonly returnedNs: Float64Array;
}

const SEED = 20_261_120;
/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;

export const examination = {
  tries: "alone with 1 to 1,000 backends across each wrap of its tickets, and under 2 and 4 workers",
  /**
   * With `until`, ends as soon as that law is found broken. `threads`: of `examinationThreads`; its own where there are none.
   */
  examine: (url: string, until?: string, threads?: Piscina) =>
    examined(url, contract, (competitor: PickCompetitor) => lawsBroken(competitor, url, threads), until),
} satisfies Examination;

/** The largest crew of an examination. */
const MOST_WORKERS = 4;

/** Threads for any number of examinations, one at a time: to start them takes longer than to examine. Destroy it. */
export function examinationThreads(workers = MOST_WORKERS): Piscina {
  return threadsOf(new URL("./pick.examination.worker.ts", import.meta.url), workers);
}

async function* lawsBroken(
  competitor: PickCompetitor,
  url: string,
  given: Piscina | undefined,
): AsyncGenerator<string | undefined> {
  const refused = equalBackendsAreServed(POWERS_OF_TWO.filter((backends) => isRefused(competitor, backends)));
  // Without a setup that it serves there is nothing else to be seen.
  if (refused !== undefined) return yield refused;
  if (competitor.ejects !== undefined) yield* ejectionLaws(competitor.ejects);
  if (competitor.latencies !== undefined) yield* latencyLaws(competitor.latencies);
  if (competitor.probes !== undefined) yield* probesLaws(competitor, competitor.probes);
  for (const backends of BACKENDS_ALONE.filter((count) => !isRefused(competitor, count))) {
    const wraps = [2 ** 31, 2 ** 32, ...competitor.wrapPoints(backends)];
    for (const firstTicket of [0, ...wraps.map((wrap) => wrap - 3)])
      yield* aloneLaws(competitor, { backends, seed: SEED, firstTicket, workers: 1 });
  }
  yield* aloneOnlyLaws(competitor);
  const answered = withBackends(competitor, () => performance.now());
  const threads = given ?? examinationThreads();
  try {
    for (const workers of [2, MOST_WORKERS]) yield* await crewLaws(answered, url, workers, threads);
    if (competitor.members !== undefined) yield* await membersLaws(competitor, url, threads);
  } finally {
    if (given === undefined) await threads.destroy();
  }
}

function isRefused(competitor: PickCompetitor, backends: number): boolean {
  return competitor.refuses?.({ backends }) !== undefined;
}

const BACKENDS_ALONE = [1, 2, 7, 8, 1000];
/** What crews pick from, and so what no picker may refuse. */
const POWERS_OF_TWO = [8, 1024] as const;

/** More than 1,000 backends twice over, and enough for chi-square to have 20 expected picks in each. */
const PICKS_ALONE = 20_003;

function* aloneLaws(competitor: PickCompetitor, setup: PickSetup) {
  const crew = new PlayedCrew(competitor, setup, LEFTOVER);
  const picked = Int32Array.from({ length: PICKS_ALONE }, () => checkedIndex(crew.pick(0)));
  yield* lawsOf(competitor, setup, crew.work().state, [
    { picked, counters: crew.work().perWorker[0]!.counters },
  ]);
  if (competitor.order === "cycles" || competitor.order === "own-cycles") {
    const first = competitor.order === "cycles" ? setup.firstTicket : 0;
    yield cyclesArePermutations(picked, setup.backends, first);
  }
}

const WEIGHTS = [5, 1, 1, 3, 2, 8, 1, 4];
/** Enough for every weight to come round many times. */
const PICKS_BY_WEIGHT = 4_001;
/**
 * Periods that share a factor with 8, and one that does not; several rotations. Also as many rotations as there are
 * backends, and one more. After these an order that moves on by one every rotation is where it was, or one off.
 */
const PERIODS = [8, 4, 6, 7, 16, 8 * 8, 8 * 9];
const REQUESTS_OF_A_PATTERN = 40_000;

/** Laws that need a single worker and a setup of their own. */
function* aloneOnlyLaws(competitor: PickCompetitor) {
  const setup = { backends: 8, seed: SEED, firstTicket: 0, workers: 1 };

  const one = makePicker(competitor, setup, LEFTOVER);
  const before = competitor.inspect(one.memory, one.setup);
  yield nothingIsDoneYet(before);
  yield picksAreCalledFor(competitor, attachPicker(competitor, one, 0));
  if (competitor.order !== "none") {
    yield restartsGoOn(firstPicks(competitor));
    yield* beginningLaws(competitor);
  }
  makePicker(competitor, { ...setup, seed: SEED + 1 }, LEFTOVER);
  yield instancesAreIndependent(before, competitor.inspect(one.memory, one.setup));

  if (competitor.order === "random")
    yield seedsDiffer(picksFrom(competitor, SEED), picksFrom(competitor, SEED + 1));
  if (competitor.breaksPatterns) {
    for (const period of PERIODS) {
      yield patternsAreBroken(resonance(competitor, setup, period, REQUESTS_OF_A_PATTERN).heavy);
    }
  }
  if (competitor.order === "load")
    yield loadsAreSpread(loads(competitor, { ...setup, workers: 8 }, LEFTOVER));
  if (competitor.shareBound !== undefined) {
    for (const wrap of [PICKS_BY_WEIGHT, 2 ** 31, 2 ** 32, ...competitor.wrapPoints(8)]) {
      const weighted = { ...setup, weights: WEIGHTS, firstTicket: wrap - PICKS_BY_WEIGHT };
      const crew = new PlayedCrew(competitor, weighted, LEFTOVER);
      const counts = new Array<number>(8).fill(0);
      for (let pick = 0; pick < 2 * PICKS_BY_WEIGHT; pick++) counts[crew.pick(0)]!++;
      yield sharesFollowWeights(counts, WEIGHTS, competitor.shareBound(weighted, 2 * PICKS_BY_WEIGHT));
      yield noWorseThanChance(counts, WEIGHTS);
      yield totalsAreRight(competitor, crew.work());
    }
  }
}

/** Enough picks that two seeds give the same ones of eight backends once in 8^64 times. */
const PICKS_FROM_A_SEED = 64;

function picksFrom(competitor: PickCompetitor, seed: number): number[] {
  const picker = attachPicker(
    competitor,
    makePicker(competitor, { backends: 8, seed, firstTicket: 0, workers: 1 }),
    0,
  );
  return Array.from({ length: PICKS_FROM_A_SEED }, () => picker.pick());
}

/** Enough backends that the leases of a shared counter begin at few of them. */
const BACKENDS_OF_RESTARTS = 128;
const RESTARTS = 4_000;

/** What each of many workers picks that take over one seat, pick once and end: how often each backend. */
function firstPicks(competitor: PickCompetitor): number[] {
  const setup = { backends: BACKENDS_OF_RESTARTS, seed: SEED, firstTicket: 0, workers: 1 };
  const instance = makePicker(competitor, setup, LEFTOVER);
  const counts = new Array<number>(setup.backends).fill(0);
  for (let restart = 0; restart < RESTARTS; restart++) {
    const picker = attachPicker(competitor, instance, 0);
    const backend = picker.pick();
    counts[backend]!++;
    picker.release?.(backend);
    freeSeat(instance, 0);
  }
  return counts;
}

/** Enough for chi-square among eight backends. */
const INSTANCES = 400;

/** Where the workers of many instances begin, each of a seed of its own, as makePicker draws one. */
function* beginningLaws(competitor: PickCompetitor) {
  const counts = new Array<number>(8).fill(0);
  let same = 0;
  for (let made = 0; made < INSTANCES; made++) {
    const instance = makePicker(competitor, {
      backends: counts.length,
      workers: 2,
      seed: derivedSeed(SEED, made),
    });
    const [first, second] = [0, 1].map((index) => attachPicker(competitor, instance, index).pick());
    counts[first!]!++;
    if (first === second) same++;
  }
  yield instancesBeginApart(counts);
  yield workersBeginApart(same, INSTANCES, counts.length);
}

/**
 * Races of one examination: few and many backends from below each wrap, one more of each for the timed one. The nightly
 * runs all of them again. A racy mutant gets off once in a while, so it is examined again until caught.
 */
const RACES = process.env.HOTPATH_THOROUGH === "1" ? 12 : 6;
const PICKS_PER_RACE = 40_000;
/** Enough backends that no timed race comes round: a pick's place in the rotation is its ticket. */
const TIMED_BACKENDS = 2 ** 18;
/** One of the races with few backends. */
const FAILING_RACE = 2;

async function* crewRaces(competitor: PickCompetitor, url: string, workers: number, threads: Piscina) {
  for (let race = 0; race < RACES; race++) {
    const timed = race === 0 && competitor.order === "rotation" && competitor.tickets === "linearizable";
    const failing = race === FAILING_RACE && competitor.ejects !== undefined;
    const [few, many] = isRefused(competitor, 7) ? POWERS_OF_TWO : [7, 1000];
    const backends = timed ? TIMED_BACKENDS : race % 2 === 0 ? few : many;
    // Two races from below each wrap in turn, one for few backends and one for many: folds are raced for as well.
    const wraps = [2 ** 32, ...competitor.wrapPoints(backends)];
    const firstTicket = timed ? 0 : wraps[(race >> 1) % wraps.length]! - PICKS_PER_RACE;
    const wanted = { backends, seed: SEED + race, firstTicket, workers };
    const instance = makePicker(competitor, wanted, LEFTOVER);
    const { memory, setup } = instance;
    const endBackground = await startBackground(competitor, instance);
    const start = allocateRegion(1);
    const clock = makeCrewClock();
    let reports: PickReport[];
    try {
      reports = await Promise.all(
        Array.from({ length: workers }, (_, index) =>
          threads.run({
            url,
            memory,
            setup,
            identity: workerIdentity(index, workers),
            picks: PICKS_PER_RACE,
            timed,
            failing,
            start,
            clock,
          } satisfies PickTask),
        ),
      );
    } finally {
      // Where one has thrown, the others are to start all the same, so that their threads are free again.
      Atomics.store(start, 0, workers);
      await endBackground();
    }
    yield { setup, state: competitor.inspect(memory, setup), reports, timed, failing };
  }
}

/** The orders in which each worker draws for itself. */
const DRAWN: ReadonlySet<Order> = new Set(["random", "own-cycles", "probed"]);

async function crewLaws(
  competitor: PickCompetitor,
  url: string,
  workers: number,
  threads: Piscina,
): Promise<(string | undefined)[]> {
  const races = crewRaces(competitor, url, workers, threads);
  for await (const { setup, state, reports, timed, failing } of races) {
    const sentences = failing
      ? [...failingLaws(competitor, setup, state, reports)]
      : [...lawsOf(competitor, setup, state, reports)];
    const sequences = reports.map(({ picked }) => picked);
    if (DRAWN.has(competitor.order)) sentences.push(streamsDiffer(sequences));
    if (competitor.order === "own-cycles") {
      for (const sequence of sequences) sentences.push(cyclesArePermutations(sequence, setup.backends, 0));
    }
    if (timed && state.rotation !== undefined)
      sentences.push(ticketsAreLinearizable(historyOf(state.rotation, reports)));
    if (sentences.some((sentence) => sentence !== undefined)) return sentences;
  }
  return [];
}

/**
 * The laws of a crew whose backend 0 fails at once. When the last failure that ejects it is reported, each of the other
 * workers may be in the middle of a pick of it.
 */
function* failingLaws(
  competitor: PickCompetitor,
  setup: PickSetup,
  state: PickState,
  reports: readonly Pick<PickReport, "picked" | "counters">[],
) {
  const picks = reports.reduce(
    (sum, { picked }) => sum + picked.filter((backend) => backend === 0).length,
    0,
  );
  yield failingAreSpared(picks, competitor.ejects!.failures + setup.workers - 1);
  yield outcomesDecide(state.ejected, [0]);
  yield inFlightIsConserved({
    setup,
    state,
    perWorker: reports.map(({ picked, counters }) => ({ picks: picked.length, checksum: 0, counters })),
  });
}

/** The laws that need only what each worker picked, in whatever order. */
function* lawsOf(
  competitor: PickCompetitor,
  setup: PickSetup,
  state: PickState,
  reports: readonly Pick<PickReport, "picked" | "counters">[],
) {
  const { backends } = setup;
  const counts = new Array<number>(backends + 1).fill(0);
  const perWorker = reports.map(({ picked, counters }) => {
    let checksum = 0;
    for (const backend of picked) {
      counts[backend >= 0 && backend < backends ? backend : backends]!++;
      checksum = (checksum + backend) | 0;
    }
    return { picks: picked.length, checksum, counters };
  });
  const picks = perWorker.reduce((sum, worker) => sum + worker.picks, 0);
  yield picksAreInRange(counts, backends);
  const perBackend = counts.slice(0, backends);
  yield totalsAreRight(competitor, { setup, state, perWorker });
  if (competitor.order === "none") return;
  yield gapIsBounded(perBackend, competitor.gapBound(setup, picks, state));
  // Requests that a worker leaves in flight keep loads away from their backends as long as the others pick.
  if (competitor.order === "random")
    yield drawsAreIndependent(
      reports.map(({ picked }) => picked),
      backends,
    );
  const mayAvoid = (competitor.order === "load" || competitor.order === "probed") && setup.workers > 1;
  if (!mayAvoid) yield noWorseThanChance(perBackend);
  // A worker that was stopped short, because it was off its core for long, may have left requests in flight from its
  // first picks on. The others avoided their backends all the while.
  else if (reports.every(({ picked }) => picked.length === PICKS_PER_RACE))
    yield noBackendIsLeftOut(perBackend);
}

function historyOf(rotation: readonly number[], reports: readonly PickReport[]): PickEvent[] {
  const ticketOf = new Int32Array(rotation.length);
  rotation.forEach((backend, ticket) => {
    ticketOf[backend] = ticket;
  });
  return reports.flatMap(({ picked, calledNs, returnedNs }) =>
    Array.from(picked, (backend, index) => {
      return { ticket: ticketOf[backend]!, calledNs: calledNs[index]!, returnedNs: returnedNs[index]! };
    }),
  );
}

function workerIdentity(index: number, workers: number): WorkerIdentity {
  return { index, workers, role: "worker", seed: SEED ^ (index + 1) };
}
