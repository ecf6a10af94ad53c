import { isBroken } from "../shared/broken.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { LatencyClaims, PickCompetitor, PickSetup } from "./pick.contract.ts";
import { makePicker, type PickInstance } from "./pick.instance.ts";
import * as laws from "./pick.laws.ts";

/**
 * Every interleaving of a few workers that each pick a few times, on the pickers' own code. The explorer's header says
 * what is followed. Explored completely: at most some 50,000 states for tickets, 300,000 for two-choices, 160,000 for
 * background-reshuffle.
 *
 * A picker that hands out tickets is compared with what one worker alone gets from the same state. The picks of several
 * must be the same ones. Workers use up the tickets that they hold before they end.
 */
interface Crew {
  readonly workers: number;
  /** By each. */
  readonly picks: number;
}

/**
 * A worker that waits for a lock may sleep, be woken and be overtaken at each of its accesses. That is many states for
 * each pick.
 */
const crewOf = ({ progress }: PickCompetitor): Crew =>
  progress === "blocking" ? { workers: 2, picks: 1 } : { workers: 3, picks: 2 };

/** Enough that the picks of an exploration do not come round, and few enough that a rotation does. */
const sizes = [{ backends: 16 }, { backends: 2 }];

/** The laws that a picker must keep; some only where it promises more than others. */
export const pickLaws = [
  ...["picksAreInRange", "totalsAreRight", "gapIsBounded", "inFlightIsConserved", "rotationIsConserved"],
  ...["ticketsAreLinearizable", "counterIsFolded", "epochsKeepTheirRotation", "orderChanges", "peakIsKept"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type PickLaw = (typeof pickLaws)[number];

/** Why a picker cannot be explored, or undefined. */
export function unexplored(competitor: PickCompetitor): string | undefined {
  if (competitor.needsLinear) return "its accesses are made by WebAssembly";
  return competitor.words(setupOf(2, 0, 2)) === 0 ? "it shares nothing" : undefined;
}

/** By this seed the two reshuffles of `exploreReshuffles` change the order, which others may leave as it is. */
const SEED = 3;

function setupOf(backends: number, firstTicket: number, workers: number): PickSetup {
  return { backends, firstTicket, workers, seed: SEED };
}

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function explorePicks(competitor: PickCompetitor, until?: PickLaw): string[] {
  const { workers, picks } = crewOf(competitor);
  const broken: string[] = [];
  const isFound = () => until !== undefined && isBroken(until, broken);
  // First, as it is small.
  if (competitor.progress !== "blocking") {
    const instance = makePicker(competitor, setupOf(2, (competitor.wrapPoints(2)[0] ?? 2) - 1, workers));
    broken.push(...brokenLaws({ ...programOf(competitor, instance, 1), mortal: 0 }, [], until));
    if (isFound()) return broken;
  }
  if (competitor.background !== undefined) broken.push(...exploreReshuffles(competitor, until));
  if (competitor.order === "load") broken.push(...exploreSurplus(competitor, until));
  if (competitor.latencies !== undefined) broken.push(...exploreReports(competitor.latencies, until));
  for (const { backends } of sizes) {
    if (competitor.tickets === "none" && backends > 2) continue;
    const points =
      competitor.tickets === "none" ? [2 ** 31] : [...competitor.wrapPoints(backends), 2 ** 31, 2 ** 32];
    for (const point of points) {
      if (isFound()) return broken;
      const instance = makePicker(competitor, setupOf(backends, point - (workers * picks) / 2, workers));
      broken.push(...exploreFrom(competitor, instance, until));
    }
  }
  return broken;
}

/** What a worker notes of a request that it has released. */
const RELEASED = -1;

function programOf(competitor: PickCompetitor, instance: PickInstance, picks: number) {
  const { setup } = instance;
  const threads = Array.from({ length: setup.workers }, (_, index) => {
    const life: Part = (memory, { note }) => {
      const picker = competitor.attach(memory, setup, workerIdentity(index, setup.workers, setup.seed));
      const pick = () => {
        const backend = picker.pick();
        note(backend);
        if (picker.release === undefined) return;
        picker.release(backend);
        note(RELEASED);
      };
      for (let picked = 0; picked < picks; picked++) pick();
      while ((picker.counters?.().heldCount ?? 0) > 0) pick();
    };
    return [life];
  });
  return { memory: instance.memory, threads };
}

const picksOf = ({ notes }: Glimpse["threads"][number]) => notes.filter((note) => note !== RELEASED);

const allPicksOf = ({ threads }: Glimpse) => threads.flatMap(picksOf);

function exploreFrom(
  competitor: PickCompetitor,
  instance: PickInstance,
  until: PickLaw | undefined,
): string[] {
  const { picks } = crewOf(competitor);
  const promised = [
    ...promisesOfAll(competitor, instance),
    ...promisesOfTickets(competitor, instance, picks),
  ];
  return brokenLaws(programOf(competitor, instance, picks), promised, until);
}

function promisesOfAll(competitor: PickCompetitor, { setup }: PickInstance): Law<PickLaw>[] {
  const { backends } = setup;
  const resting = (seen: Glimpse, judge: () => string | undefined) =>
    seen.threads.every(({ rests }) => rests) ? judge() : undefined;
  const ofLoad: Law<PickLaw> = {
    name: "inFlightIsConserved",
    state: (seen) => resting(seen, () => laws.inFlightIsConserved(workOf(competitor, setup, seen))),
  };
  return [
    {
      name: "picksAreInRange",
      state(seen) {
        const stray = allPicksOf(seen).find((backend) => backend < 0 || backend >= backends);
        return stray === undefined ? undefined : `there is no backend ${stray}`;
      },
    },
    {
      name: "totalsAreRight",
      end: (seen) => laws.totalsAreRight(competitor, workOf(competitor, setup, seen)),
    },
    {
      name: "gapIsBounded",
      state: (seen) =>
        resting(seen, () => {
          const picks = allPicksOf(seen);
          const counts = new Array<number>(backends).fill(0);
          for (const backend of picks) counts[backend]!++;
          const held = competitor.tickets === "conserved" ? 64 : 0;
          const state = competitor.inspect(seen.memory, setup);
          return laws.gapIsBounded(counts, competitor.gapBound(setup, picks.length + held, state));
        }),
    },
    ...(competitor.order === "load" ? [ofLoad] : []),
  ];
}

function promisesOfTickets(
  competitor: PickCompetitor,
  instance: PickInstance,
  picks: number,
): Law<PickLaw>[] {
  const { backends, workers } = instance.setup;
  const { tickets, order } = competitor;
  const alone = picksAlone(competitor, instance, 256);
  const conserved: Law<PickLaw> = {
    name: "rotationIsConserved",
    end(seen) {
      const picked = allPicksOf(seen).sort(ascending);
      const expected = alone.slice(0, picked.length).sort(ascending);
      return String(picked) === String(expected)
        ? undefined
        : `picked were ${picked}, one alone picks ${expected}`;
    },
  };
  const linearizable: Law<PickLaw> = {
    name: "ticketsAreLinearizable",
    state(seen) {
      const ranks = allPicksOf(seen).map((backend) => alone.indexOf(backend));
      const missing = Math.max(-1, ...ranks) + 1 - ranks.length;
      const underWay = seen.threads.filter(({ rests }) => !rests).length;
      if (missing <= underWay) return undefined;
      return `${missing} tickets before the last one returned are missing, ${underWay} picks are in progress`;
    },
  };
  // No thread reshuffles here, so that an epoch beside the ticket stays 0; and below 2^31 no ticket is negative.
  const fold = competitor.wrapPoints(backends)[0] ?? Number.POSITIVE_INFINITY;
  const folded: Law<PickLaw> = {
    name: "counterIsFolded",
    end({ memory }) {
      const beyond = [...memory].find((word) => word < 0 || word >= fold);
      return beyond === undefined ? undefined : `a word stands at ${beyond}, the fold is ${fold}`;
    },
  };
  // Where no backend comes twice, the order of the picks is known.
  const most = workers * picks;
  const isOrdered = tickets === "linearizable" && new Set(alone.slice(0, most)).size === most;
  return [
    ...(tickets !== "none" && order !== "reshuffled" ? [conserved] : []),
    ...(isOrdered ? [linearizable] : []),
    ...(tickets === "linearizable" && fold < 2 ** 31 ? [folded] : []),
  ];
}

/** One request is in flight, and two workers release it at once: to one of them that is an error. */
function exploreSurplus(competitor: PickCompetitor, until: PickLaw | undefined): string[] {
  const { memory, setup } = makePicker(competitor, setupOf(2, 0, 3));
  const attach = (words: Region, index: number) =>
    competitor.attach(words, setup, workerIdentity(index, setup.workers, setup.seed));
  const backend = attach(memory, 2).pick();
  const threads = [0, 1].map((index): Part[] => [
    (words, { note }) => {
      try {
        attach(words, index).release!(backend);
        note(RELEASED);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    },
  ]);
  const law: Law<PickLaw> = {
    name: "inFlightIsConserved",
    end(seen) {
      const released = seen.threads.filter(({ notes }) => notes.includes(RELEASED)).length;
      const left = competitor.inspect(seen.memory, setup).inFlight![backend];
      return released === 1 && left === 0
        ? undefined
        : `${released} of two releases of one request were accepted, ${left} are in flight`;
    },
  };
  return brokenLaws({ memory, threads }, [law], until);
}

/** Three workers report latencies of one backend at once: the greatest is its estimate. */
function exploreReports(claims: LatencyClaims, until: PickLaw | undefined): string[] {
  const competitor = claims.byClock(() => 0);
  const { memory, setup } = makePicker(competitor, setupOf(2, 0, 3));
  const latenciesOf = (words: Region, index: number) =>
    competitor.attach(words, setup, workerIdentity(index, setup.workers, setup.seed)).latencies!;
  const threads = [5, 9, 7].map((ms, index): Part[] => [
    (words, { note }) => {
      latenciesOf(words, index).report(0, ms);
      note(ms);
    },
  ]);
  const law: Law<PickLaw> = {
    name: "peakIsKept",
    state(seen) {
      const reported = seen.threads.flatMap(({ notes }) => notes);
      const estimate = latenciesOf(seen.memory, 0).estimate(0);
      const most = Math.max(0, ...reported);
      return estimate >= most * (1 - claims.error)
        ? undefined
        : `${most} ms were reported, the estimate is ${estimate} ms`;
    },
  };
  const program = { memory, threads };
  return [...brokenLaws(program, [law], until), ...brokenLaws({ ...program, mortal: 0 }, [], until)];
}

/** The first picks from an instance, which stays as it is. */
function picksAlone(competitor: PickCompetitor, { memory, setup }: PickInstance, picks: number): number[] {
  const copy = allocateRegion(memory.length);
  copy.set(memory);
  const picker = competitor.attach(copy, setup, workerIdentity(0, setup.workers, setup.seed));
  return Array.from({ length: picks }, () => {
    const backend = picker.pick();
    picker.release?.(backend);
    return backend;
  });
}

function workOf(competitor: PickCompetitor, setup: PickSetup, { memory, threads }: Glimpse): laws.PickWork {
  return {
    setup,
    state: competitor.inspect(memory, setup),
    perWorker: threads.map((thread) => {
      const picks = picksOf(thread);
      const inFlight = 2 * picks.length - thread.notes.length;
      const checksum = picks.reduce((sum, backend) => sum + backend, 0);
      return {
        picks: picks.length,
        checksum,
        counters: competitor.order === "load" ? { inFlight } : {},
      };
    }),
  };
}

/**
 * Two workers beside the thread that reshuffles, which has a request to serve when they begin; they make another. Before,
 * they have picked until the epoch is one that wraps, and the next request is two picks away.
 */
function exploreReshuffles(competitor: PickCompetitor, until: PickLaw | undefined): string[] {
  const instance = makePicker(competitor, setupOf(2, 0, 2));
  const { memory, setup } = instance;
  const before = prepared(competitor, instance);
  const threads: (readonly Part[])[] = [0, 1].map((index) => {
    const life: Part = (words, { note, answers }) => {
      const picker = competitor.attach(words, setup, workerIdentity(index, 2, setup.seed));
      for (let picked = 0; picked < 3; picked++) {
        const first = answers.length;
        const backend = picker.pick();
        note(Number(answers[first]), backend);
      }
    };
    return [life];
  });
  threads.push([
    (words) => {
      const background = competitor.background!.attach(words, setup);
      background.step();
      background.step();
    },
  ]);
  const reshuffles = (words: Region) => competitor.inspect(words, setup).reshuffles! - before;
  const promised: Law<PickLaw>[] = [
    {
      // A pick's first access shows its epoch and its ticket. In one epoch two picks have the same backend if they have
      // the same place, and else not.
      name: "epochsKeepTheirRotation",
      state({ threads: workers }) {
        const seen = new Map<string, number>();
        for (const { notes } of workers) {
          for (let at = 0; at < notes.length; at += 2) {
            const [control, backend] = [notes[at]!, notes[at + 1]!];
            const epoch = control >>> 30;
            const place = (control & (2 ** 30 - 1)) % setup.backends;
            for (const [key, other] of [
              [`${epoch} at ${place}`, backend],
              [`${epoch} to ${backend}`, place],
            ] as const) {
              if ((seen.get(key) ?? other) !== other) return `epoch ${key}: ${seen.get(key)} and ${other}`;
              seen.set(key, other);
            }
          }
        }
        return undefined;
      },
    },
    { name: "orderChanges", once: ({ memory: words }) => reshuffles(words) === 2 },
  ];
  const program = { memory, threads };
  return [...brokenLaws(program, promised, until), ...brokenLaws({ ...program, mortal: 0 }, [], until)];
}

/** Returns how often the rotation has changed. */
function prepared(competitor: PickCompetitor, { memory, setup }: PickInstance): number {
  const pickers = [0, 1].map((index) =>
    competitor.attach(memory, setup, workerIdentity(index, 2, setup.seed)),
  );
  const background = competitor.background!.attach(memory, setup);
  const picksPerRequest = 2 ** 16;
  for (let picked = 0; picked < 3 * picksPerRequest; picked++) {
    pickers[picked % 2]!.pick();
    if (picked < 2 * picksPerRequest && background.step()) for (const picker of pickers) picker.pick();
  }
  // One request is left over; the next comes in the picks that follow.
  while ((competitor.inspect(memory, setup).handedOut!.count + 2) % picksPerRequest !== 0) {
    pickers[0]!.pick();
    pickers[1]!.pick();
  }
  return competitor.inspect(memory, setup).reshuffles!;
}

function ascending(a: number, b: number): number {
  return a - b;
}
