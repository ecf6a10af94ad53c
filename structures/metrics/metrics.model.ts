import { check, type Promised } from "../interleave/model.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  brokenCalls,
  brokenInTurn,
  brokenLaws,
  CALLS_ARE_EXPLAINED,
  EVERYBODY_FINISHES,
  type Law,
  NOBODY_IS_HELD_UP,
  type Part,
} from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { MetricsCompetitor, MetricsSetup } from "./metrics.contract.ts";
import { sumCoversBuckets } from "./metrics.laws.ts";

/**
 * Every interleaving of workers that count and a reader that reads, on the competitor's own code, where counts overflow
 * their low words. The explorer's header says what is followed.
 *
 * What this shows, in every schedule of one or two workers and a reader that make few calls, and with at most two
 * preemptions where they make more: what it reads is what a plain sum of the adds has at some moment of the call, and it
 * finds in the sum what it sees in buckets. A worker that stops for ever at any of its
 * accesses holds nobody up, has made its last add or not, and leaves a cell that the next one in its seat continues.
 */
export const metricsLaws = [
  CALLS_ARE_EXPLAINED,
  "sumCoversBuckets",
  EVERYBODY_FINISHES,
  NOBODY_IS_HELD_UP,
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

/** Workers and a reader, with as many calls each at most. */
interface Size {
  readonly workers: number;
  readonly calls: number;
  /** The worker that may die, and whether another takes its seat then. */
  readonly dies?: number;
  readonly hasNext?: true;
}

const SIZES: readonly Size[] = [
  { workers: 1, calls: 3 },
  { workers: 2, calls: 2 },
  { workers: 1, calls: 2, dies: 0 },
  { workers: 1, calls: 2, dies: 0, hasNext: true },
];

/** One sentence for each law that is broken. With `until`, ends where it finds that law broken. */
export function exploreMetrics(competitor: MetricsCompetitor, until?: MetricsLaw): string[] {
  const explorations = [
    () => recording(competitor, until),
    ...SIZES.map((size) => () => adding(competitor, size)),
  ];
  return brokenInTurn(explorations, (explore) => explore(), until);
}

/** Threads in this order: workers, the next in the seat of the one that died, and a reader. */
function adding(competitor: MetricsCompetitor, { workers, hasNext, ...size }: Size): string[] {
  const { step } = amountsOf(competitor);
  const setup = { workers, range: RANGE };
  const cells = formatted(competitor, setup);
  const died = cells.length;
  const shared = allocateRegion(died + 1);
  shared.set(cells);
  const ofSeat = (words: Region, index: number, generation: number) =>
    competitor.attach(words.subarray(0, died), setup, { ...workerIdentity(index, workers, 1), generation });
  const adds = function (this: { count: number }) {
    this.count += step;
  };
  const last = workers + Number(hasNext ?? 0);
  const attach = (words: Region, thread: number) => ({
    words,
    recorder: thread < workers ? ofSeat(words, thread, 0) : undefined,
    reader: competitor.reader!(words.subarray(0, died), setup),
  });
  const promised: Promised<Region, ReturnType<typeof attach>> = {
    model: {
      count: 0,
      add: adds,
      addNext: adds,
      read() {
        return this.count;
      },
    },
    shared,
    attach,
    operations: {
      add: {
        by: Array.from({ length: workers }, (_, index) => index),
        call: ({ recorder }) => recorder!.add(step),
      },
      addNext: {
        by: hasNext ? workers : [],
        inVain: ["nobody died"],
        call: ({ words }) =>
          Atomics.load(words, died) === 0 ? "nobody died" : ofSeat(words, 0, 1).add(step),
      },
      read: { by: last, call: ({ reader }) => reader().count },
    },
    threads: last + 1,
    ...size,
    ...(size.dies !== undefined && { afterDeath: ({ words }) => Atomics.store(words, died, 1) }),
  };
  return brokenCalls(size.dies !== undefined, () => check(promised, { maxStates: MOST_STATES }));
}

/** Of a scenario; one with more is visited with at most two preemptions. */
const MOST_STATES = 4_000;

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

function formatted(competitor: MetricsCompetitor, setup: MetricsSetup): Region {
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  return memory;
}
