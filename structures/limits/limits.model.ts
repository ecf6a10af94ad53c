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
import type { ClockNs, LimitsCompetitor, LimitsSetup, TokenBucket } from "./limits.contract.ts";
import * as laws from "./limits.laws.ts";

/**
 * Every interleaving of two workers that take a few tokens of an empty bucket while time passes, on the buckets' own
 * code. The clock is a word that a thread beside them moves on. So a worker may be interrupted for any time after it
 * has read the clock, or before, and each may read another time. The explorer's header says what is followed.
 *
 * What this shows, in every schedule of these workers: no window has too many tokens, and none is lost, not even where
 * one worker has stopped for good at any access. From every state there is a way to an end.
 */
interface Size extends Omit<LimitsSetup, "workers"> {
  readonly takes: number;
  /** What the clock says in turn, in ns since the bucket was empty. */
  readonly timesNs: readonly number[];
  /** Whether it is full at none of these times. Then the tokens that came follow from the tokens that were taken. */
  readonly neverFull: boolean;
}

const sizes: readonly Size[] = [
  { capacity: 4, perSecond: 1e9, takes: 2, timesNs: [1, 3], neverFull: true },
  { capacity: 1, perSecond: 1e9, takes: 2, timesNs: [1, 4], neverFull: false },
  { capacity: 1, perSecond: 7.5e8, takes: 2, timesNs: [2, 3], neverFull: false },
];

/** A worker that waits for a lock may sleep, be woken and be overtaken at each access: many states for each call. */
const sizesBehindLock: readonly Size[] = sizes.map((size) => ({ ...size, takes: 1 }));

/** The laws that a bucket must keep. */
export const limitsLaws = [
  ...["neverOverLimit", "tokensAreConserved"],
  ...[EVERYBODY_FINISHES, NOBODY_IS_HELD_UP],
] as const;
export type LimitsLaw = (typeof limitsLaws)[number];

/** Why a bucket cannot be explored, or undefined. */
export function unexplored({ words }: LimitsCompetitor): string | undefined {
  return words({ capacity: 1, perSecond: 1, workers: 2 }) === 0 ? "it shares nothing" : undefined;
}

/** One sentence for each law that is broken at some size. With `until`, ends where it finds that law broken. */
export function exploreTakes(competitor: LimitsCompetitor, until?: LimitsLaw): string[] {
  const isBlocking = competitor.progress === "blocking";
  const explore = (size: Size) =>
    (isBlocking ? [undefined] : [undefined, MORTAL]).flatMap((mortal) =>
      exploreSize(competitor, size, until, mortal),
    );
  return brokenInTurn(isBlocking ? sizesBehindLock : sizes, explore, until);
}

const WORKERS = 2;
/** When the bucket is emptied. */
const EMPTY_NS = 12;
/** The worker that may stop for good. */
const MORTAL = 0;

function exploreSize(
  competitor: LimitsCompetitor,
  { takes, timesNs, neverFull, capacity, perSecond }: Size,
  until: LimitsLaw | undefined,
  mortal?: number,
): string[] {
  const setup = { capacity, perSecond, workers: WORKERS + 1 };
  const clock = competitor.words(setup);
  const memory = allocateRegion(clock + 1);
  competitor.format(memory.subarray(0, clock), setup, () => EMPTY_NS);
  const attach = (words: Region, index: number, nowNs: ClockNs) => {
    const worker = workerIdentity(index, setup.workers, 1);
    return competitor.attach(words.subarray(0, clock), setup, worker, nowNs) as TokenBucket;
  };
  attach(memory, WORKERS, () => EMPTY_NS).tryTake(capacity);

  const worker =
    (index: number): Part =>
    (words, { note }) => {
      let atNs = 0;
      const bucket = attach(words, index, () => {
        atNs = Atomics.load(words, clock);
        return EMPTY_NS + atNs;
      });
      for (let take = 0; take < takes; take++) if (bucket.tryTake()) note(atNs);
    };
  const time: Part = (words) => {
    for (const ns of timesNs) Atomics.store(words, clock, ns);
  };
  const grantedAt = ({ threads }: Glimpse) => threads.flatMap(({ notes }) => notes);
  const promised: Law<LimitsLaw>[] = [
    {
      name: "neverOverLimit",
      state: (seen) =>
        laws.neverOverInWindows(
          competitor,
          setup,
          [...new Array<number>(capacity).fill(0), ...grantedAt(seen)].map((ns) => ({
            beganNs: ns,
            endedNs: ns,
          })),
        ),
      once: (seen) => grantedAt(seen).length > 0,
    },
  ];
  if (neverFull)
    promised.push({
      name: "tokensAreConserved",
      end(seen) {
        const lastNs = timesNs.at(-1)!;
        const late = attach(seen.memory, WORKERS, () => EMPTY_NS + lastNs);
        let taken = grantedAt(seen).length;
        for (let ask = 0; ask < capacity; ask++) if (late.tryTake()) taken++;
        return laws.tokensAreConserved({
          held: lastNs * (perSecond / 1e9),
          taken,
          terminated: mortal === undefined ? 0 : 1,
        });
      },
    });
  const program = { memory, threads: [worker(0), worker(1), time].map((part) => [part]) };
  // A late taker would wait for ever where a worker stopped that holds others up.
  const asked = until === EVERYBODY_FINISHES || until === NOBODY_IS_HELD_UP ? [] : promised;
  return brokenLaws(mortal === undefined ? program : { ...program, mortal }, asked, until);
}
