import { Piscina } from "piscina";
import { loadCompetitor } from "../catalog.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import type { Seat } from "../shared/seat.ts";
import { contract, type PickCompetitor, type PickSetup } from "./pick.contract.ts";
import {
  countsAreUniform,
  gapIsBounded,
  type PickEvent,
  picksAreInRange,
  streamsDiffer,
  ticketsAreLinearizable,
  totalsAreRight,
} from "./pick.laws.ts";

/**
 * Every law of pick applied to one competitor, alone and under workers, in the order of cost. Whoever passes is as
 * good as the laws can tell; each liar must fail. Written once, so that a newcomer is examined like everybody else.
 */

/** What one worker of an examination is asked to do. */
export interface PickTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: PickSetup;
  readonly seat: Seat;
  readonly picks: number;
  /** Whether to note when each pick was called and returned. */
  readonly timed: boolean;
  /** One word in which the workers count themselves in, so that they start together. */
  readonly start: Region;
}

/** What it saw. Clock readings are empty unless the task is timed. */
export interface PickReport {
  readonly picked: Int32Array;
  readonly calledNs: Float64Array;
  readonly returnedNs: Float64Array;
}

const SEED = 20_261_120;

/** Yields the sentence of each broken law; nothing for an honest competitor. */
export async function examine(url: string): Promise<string[]> {
  const competitor = (await loadCompetitor(url, contract)) as PickCompetitor;
  const broken: string[] = [];
  const note = (sentence: string | undefined) => {
    if (sentence !== undefined) broken.push(sentence);
  };
  for (const backends of [1, 2, 7, 8, 1000]) {
    const wraps = [2 ** 31, 2 ** 32, ...competitor.wrapPoints(backends)];
    for (const firstTicket of [0, ...wraps.map((wrap) => wrap - 3)]) {
      for (const sentence of aloneLaws(competitor, { backends, seed: SEED, firstTicket, workers: 1 }))
        note(sentence);
    }
  }
  for (const workers of [2, 4]) {
    for (const sentence of await crewLaws(competitor, url, workers)) note(sentence);
  }
  return broken;
}

/** More than 1,000 backends twice over, and enough for chi-square to have 20 expected picks in each. */
const PICKS_ALONE = 20_003;

function* aloneLaws(competitor: PickCompetitor, setup: PickSetup) {
  const memory = formatted(competitor, setup);
  const picker = competitor.attach(memory, setup, seatOf(0, 1));
  const picked = Int32Array.from({ length: PICKS_ALONE }, () => checkedIndex(picker.pick()));
  yield* lawsOf(competitor, setup, memory, [picked]);
}

/** Racy liars get this many tries to be caught; the honest pass every one. */
const RACES = 30;
const PICKS_PER_RACE = 40_000;
/** So many backends that no timed race comes round: a pick's place in the lap is its ticket. */
const TIMED_BACKENDS = 2 ** 18;

async function* crewRaces(competitor: PickCompetitor, url: string, workers: number) {
  const pool = new Piscina({
    filename: new URL("./pick.examination.worker.ts", import.meta.url).href,
    minThreads: workers,
    maxThreads: workers,
    execArgv: [],
  });
  try {
    for (let race = 0; race < RACES; race++) {
      const timed = race === 0;
      const backends = timed ? TIMED_BACKENDS : race % 2 === 0 ? 7 : 1000;
      const firstTicket = timed ? 0 : 2 ** 32 - PICKS_PER_RACE;
      const setup = { backends, seed: SEED + race, firstTicket, workers };
      const memory = formatted(competitor, setup);
      const start = allocateRegion(1);
      const reports: PickReport[] = await Promise.all(
        Array.from({ length: workers }, (_, index) =>
          pool.run({
            url,
            memory,
            setup,
            seat: seatOf(index, workers),
            picks: PICKS_PER_RACE,
            timed,
            start,
          } satisfies PickTask),
        ),
      );
      yield { setup, memory, reports, timed };
    }
  } finally {
    await pool.destroy();
  }
}

async function crewLaws(
  competitor: PickCompetitor,
  url: string,
  workers: number,
): Promise<(string | undefined)[]> {
  for await (const { setup, memory, reports, timed } of crewRaces(competitor, url, workers)) {
    const sequences = reports.map(({ picked }) => picked);
    const sentences = [...lawsOf(competitor, setup, memory, sequences)];
    if (competitor.order === "random") sentences.push(streamsDiffer(sequences));
    const { lap } = competitor.inspect(memory, setup);
    if (timed && lap !== undefined && competitor.tickets === "linearizable") {
      sentences.push(ticketsAreLinearizable(historyOf(lap, reports)));
    }
    if (sentences.some((sentence) => sentence !== undefined)) return sentences;
  }
  return [];
}

/** The laws that need only what each worker picked, in whatever order. */
function* lawsOf(
  competitor: PickCompetitor,
  setup: PickSetup,
  memory: Region,
  sequences: readonly Int32Array[],
) {
  const { backends, workers } = setup;
  const counts = new Array<number>(backends + 1).fill(0);
  let picks = 0;
  let checksum = 0;
  for (const sequence of sequences) {
    picks += sequence.length;
    for (const backend of sequence) {
      counts[backend >= 0 && backend < backends ? backend : backends]!++;
      checksum = (checksum + backend) | 0;
    }
  }
  yield picksAreInRange(counts, backends);
  const perBackend = counts.slice(0, backends);
  yield totalsAreRight(competitor, { ...setup, picks, checksum, state: competitor.inspect(memory, setup) });
  yield gapIsBounded(perBackend, competitor.gapBound(workers));
  if (competitor.order === "random" && backends > 1 && picks >= 20 * backends)
    yield countsAreUniform(perBackend);
}

function historyOf(lap: readonly number[], reports: readonly PickReport[]): PickEvent[] {
  const ticketOf = new Int32Array(lap.length);
  lap.forEach((backend, ticket) => {
    ticketOf[backend] = ticket;
  });
  return reports.flatMap(({ picked, calledNs, returnedNs }) =>
    Array.from(picked, (backend, index) => {
      return { ticket: ticketOf[backend]!, calledNs: calledNs[index]!, returnedNs: returnedNs[index]! };
    }),
  );
}

function formatted(competitor: PickCompetitor, setup: PickSetup): Region {
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  return memory;
}

function seatOf(index: number, workers: number): Seat {
  return { index, workers, role: "worker", seed: SEED ^ (index + 1) };
}

/** What is no index at all (undefined, a fraction) must not be mistaken for backend 0 by an Int32Array. */
export function checkedIndex(backend: number): number {
  return Number.isInteger(backend) ? backend : -1;
}
