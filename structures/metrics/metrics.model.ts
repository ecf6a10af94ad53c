import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenInTurn,
  brokenLaws,
  EVERYBODY_FINISHES,
  type Glimpse,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { MetricsCompetitor, MetricsSetup } from "./metrics.contract.ts";
import {
  addsAreConserved,
  readsAreWhole,
  readsNeverFall,
  stoppingLosesNothing,
  sumCoversBuckets,
} from "./metrics.laws.ts";

/**
 * Every interleaving of workers that count and a reader that reads, on the competitor's own code, where counts overflow
 * their low words. The explorer's header says what is followed.
 *
 * What this shows, in every schedule of two workers, or one, and a reader that reads twice: a reader sees whole counts
 * that never fall, and finds in the sum what it sees in buckets. A worker that stops for ever at any of its accesses
 * holds nobody up, loses nothing that it had counted, and leaves a cell that the next one in its seat continues.
 */
export const metricsLaws = [
  ...["addsAreConserved", "readsAreWhole", "readsNeverFall", "sumCoversBuckets", "stoppingLosesNothing"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type MetricsLaw = (typeof metricsLaws)[number];

/** Why a competitor cannot be explored, or undefined. */
export function unexplored({ words, progress }: MetricsCompetitor): string | undefined {
  if (words({ workers: 1, range: RANGE }) === 0) return "it shares nothing";
  return progress === "blocking"
    ? "its doubles are behind a lock, which the locks' own model explores"
    : undefined;
}

/** Few buckets: two of one octave, and those at the ends. */
const RANGE = { from: 1.5, to: 2, error: 0.25 };

/** What each worker adds and records. */
interface Amounts {
  readonly step: number;
  readonly value: number;
}

/** Each add overflows, see metrics.examination.ts; each record does, as its value is 2^31 units of a 64th. */
const OVERFLOWING: Amounts = { step: 2 ** 31 - 1, value: 2 ** 25 };
/** For a counter that would start again at 0. */
const SMALL: Amounts = { step: 1, value: 1 };

function amountsOf({ exactTo }: MetricsCompetitor): Amounts {
  return exactTo < Number.MAX_SAFE_INTEGER ? SMALL : OVERFLOWING;
}

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function exploreMetrics(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  const explorations = [besideReader, besideEachOther, recording, stopping];
  return brokenInTurn(explorations, (explore) => explore(competitor, until), until);
}

/** One worker overflows again and again while another thread reads twice. */
function besideReader(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  return adding(competitor, [4], until);
}

/** Two workers overflow, and a reader sees the one before the other. */
function besideEachOther(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  return adding(competitor, [1, 2], until);
}

function adding(competitor: MetricsCompetitor, adds: readonly number[], until?: MetricsLaw): string[] {
  const setup = { workers: adds.length, range: RANGE };
  const { step } = amountsOf(competitor);
  const program = {
    memory: formatted(competitor, setup),
    threads: [
      ...adds.map((times, index) => [adder(competitor, setup, index, times)]),
      [reader(competitor, setup)],
    ],
  };
  const added = adds.reduce((sum, times) => sum + times, 0) * step;
  const laws: Law<MetricsLaw>[] = [
    {
      name: "addsAreConserved",
      end: ({ memory }) => addsAreConserved(competitor, counted(competitor, setup, memory), added),
    },
    {
      name: "readsAreWhole",
      end: (seen) =>
        readsOf(seen)
          .map(({ count }) => readsAreWhole(count, step, added))
          .find((sentence) => sentence !== undefined),
    },
    {
      name: "readsNeverFall",
      end(seen) {
        const [first, second] = readsOf(seen);
        return readsNeverFall(first, second!);
      },
    },
  ];
  return brokenLaws(program, laws, until);
}

/** A worker records while another thread reads. */
function recording(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  const setup = { workers: 1, range: RANGE };
  const { value } = amountsOf(competitor);
  const worker: Part = (words) => {
    const recorder = competitor.attach(words, setup, workerIdentity(0, 1, 1));
    for (let times = 0; times < 2; times++) recorder.record(value);
  };
  const onlooker: Part = (words, { note }) => {
    const { sum, buckets } = competitor.reader!(words, setup)();
    note(sum / value, ...buckets);
  };
  const program = { memory: formatted(competitor, setup), threads: [[worker], [onlooker]] };
  const law: Law<MetricsLaw> = {
    name: "sumCoversBuckets",
    end({ threads }) {
      const [values, ...buckets] = threads[1]!.notes;
      return sumCoversBuckets({ count: 0, sum: values! * value, buckets }, value);
    },
  };
  return brokenLaws(program, [law], until);
}

/** A worker may stop at any of its accesses, beside a reader; another takes its seat and adds once more. */
function stopping(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  const setup = { workers: 1, range: RANGE };
  const { step } = amountsOf(competitor);
  const next: Part = (words, { note }) => {
    competitor.attach(words, setup, { ...workerIdentity(0, 1, 2), generation: 1 }).add(step);
    note(NEXT);
  };
  const program = {
    memory: formatted(competitor, setup),
    threads: [[adder(competitor, setup, 0, 3)], [reader(competitor, setup)]],
    mortal: 0,
    obituary: next,
  };
  const laws: Law<MetricsLaw>[] = [
    {
      name: "stoppingLosesNothing",
      end(seen) {
        const { notes } = seen.threads[0]!;
        const completed = notes.length * step;
        const begun = notes.includes(NEXT) ? completed + step : completed;
        return stoppingLosesNothing(counted(competitor, setup, seen.memory), completed, begun);
      },
    },
    {
      name: "readsNeverFall",
      end(seen) {
        const [first, second] = readsOf(seen);
        return readsNeverFall(first, second!);
      },
    },
  ];
  // Where nobody takes the seat, the reader is alone with what the worker left.
  const { obituary: _, ...alone } = program;
  return [...brokenLaws(program, laws, until), ...brokenLaws(alone, [], until)];
}

/** What a thread notes of an add; NEXT where it is that of the next one in the seat. */
const ADDED = 1;
const NEXT = 2;

function adder(competitor: MetricsCompetitor, setup: MetricsSetup, index: number, times: number): Part {
  const { step } = amountsOf(competitor);
  return (words, { note }) => {
    const recorder = competitor.attach(words, setup, workerIdentity(index, setup.workers, 1));
    for (let done = 0; done < times; done++) {
      recorder.add(step);
      note(ADDED);
    }
  };
}

/** Notes two counts in two numbers each, as int32 may not have room for one. */
function reader(competitor: MetricsCompetitor, setup: MetricsSetup): Part {
  return (words, { note }) => {
    const read = competitor.reader!(words, setup);
    for (let times = 0; times < 2; times++) {
      const { count } = read();
      note(Math.floor(count / NOTED), count % NOTED);
    }
  };
}

const NOTED = 2 ** 30;

function readsOf({ threads }: Glimpse) {
  const [upper, lower, upperNext, lowerNext] = threads.at(-1)!.notes;
  return [
    { count: upper! * NOTED + lower!, sum: 0, buckets: [] },
    { count: upperNext! * NOTED + lowerNext!, sum: 0, buckets: [] },
  ];
}

function counted(competitor: MetricsCompetitor, setup: MetricsSetup, memory: Region): number {
  return competitor.reader!(memory, setup)().count;
}

function formatted(competitor: MetricsCompetitor, setup: MetricsSetup): Region {
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  return memory;
}
