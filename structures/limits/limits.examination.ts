import assert from "node:assert/strict";
import type { Piscina } from "piscina";
import type { Examination } from "../shared/contract.ts";
import { makeCrewClock } from "../shared/crew-clock.ts";
import { asserted, examined, threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import {
  type AsyncTokenBucket,
  type ClockNs,
  contract,
  type LimitsCompetitor,
  type LimitsSetup,
  type TokenBucket,
} from "./limits.contract.ts";
import { lawByPhases, lawOfCrowd } from "./limits.keys.examination.ts";
import {
  asMuchAsTheRateAllows,
  type Grant,
  neverOverInWindows,
  neverOverLimit,
  type Take,
  tokensAreConserved,
  waitIsRight,
} from "./limits.laws.ts";

/**
 * Every law of limits applied to one competitor. First by a clock that is stepped, in one thread, which may have
 * several handles: there the laws are exact. Then under workers, by the clock of the process.
 */

/** What one worker of an examination is asked to do. */
export interface LimitsTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: LimitsSetup;
  readonly index: number;
  /** How many takes of one token; as many as are granted if absent. */
  readonly takes?: number;
  /** One word in which the workers count themselves in, so that they begin together. */
  readonly gate: Region;
  /** The clock by which the worker notes when its takes begin and end. */
  readonly clock: BigInt64Array;
}

export const examination = {
  tries: "a stepped clock at nine limits and four times, and takes of 1, 2 and 4 workers",
  /** `threads`: of `examinationThreads`; its own where there are none. */
  examine: (url: string, threads?: Piscina) =>
    examined(url, contract, async (competitor: LimitsCompetitor) => {
      const broken = [
        await asserted("badInputIsRefused", () => assertBadInputIsRefused(competitor)),
        ...(await lawsByStepped(competitor)),
        ...(await lawsByKey(competitor)),
      ];
      return broken.some((sentence) => sentence !== undefined)
        ? broken
        : await lawsUnderWorkers(competitor, url, threads);
    }),
} satisfies Examination;

async function lawsByKey({ byKey, ...rest }: LimitsCompetitor): Promise<(string | undefined)[]> {
  // Its laws are those of one limit for all workers.
  if (byKey === undefined || rest.scope === "split") return [];
  const competitor = { ...rest, byKey };
  return [await lawByPhases(byKey, FEW_KEYS), lawOfCrowd(competitor)];
}

const FEW_KEYS = { keys: 300, takes: 20_000, phases: 10 };

function assertBadInputIsRefused(competitor: LimitsCompetitor): void {
  const good: LimitsSetup = { capacity: 10, perSecond: 10, workers: 2 };
  for (const bad of [
    ...[{ capacity: 0 }, { capacity: 1.5 }, { capacity: 2 ** 31 }, { capacity: Number.NaN }],
    ...[{ perSecond: 0 }, { perSecond: 2e9 }, { perSecond: Number.NaN }, { perSecond: "10" as never }],
    ...[{ workers: 0 }, { capacity: 2 ** 30, perSecond: 1 }],
  ])
    assert.throws(() => competitor.words({ ...good, ...bad }), RangeError, JSON.stringify(bad));
  const [handle] = attached(competitor, good, () => 0);
  if ("tryTakeAsync" in handle!) return;
  for (const n of [0, -1, 1.5, 11, Number.NaN])
    for (const ask of [handle!.tryTake, handle!.waitMs])
      assert.throws(() => ask(n), { name: "RangeError", message: /^n \S+ is not an integer in 1 \.\. 10, / });
}

type Handle = TokenBucket | AsyncTokenBucket;

/** A handle for each worker, in this thread. */
function attached(competitor: LimitsCompetitor, setup: LimitsSetup, nowNs: ClockNs): Handle[] {
  const memory = allocateRegion(competitor.words(setup)).fill(LEFTOVER);
  competitor.format(memory, setup, nowNs);
  return Array.from({ length: setup.workers }, (_, index) =>
    competitor.attach(memory, setup, workerIdentity(index, setup.workers, 1), nowNs),
  );
}

/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;

/** A token for each second, fractions of ticks, a token for each tick or nearly, and much for little. */
const LIMITS: readonly Omit<LimitsSetup, "workers">[] = [
  { capacity: 1, perSecond: 1 },
  { capacity: 3, perSecond: 7 },
  { capacity: 10, perSecond: 1000 },
  { capacity: 1000, perSecond: 333_333.3 },
  { capacity: 5, perSecond: 1 / 86_400 },
  { capacity: 100, perSecond: 1e9 },
  { capacity: 2, perSecond: 999_999_937 },
  { capacity: 3, perSecond: 7e8 },
  { capacity: 2 ** 30, perSecond: 1e9 },
];

/** In ns: the beginning, about where 31 and 53 bits end, and nine years. */
const STARTS_NS = [0, 2 ** 31 - 100, 2 ** 53 - 1000, 2 ** 58];

const STEPS = 300;
/** One take in this many, on average, follows a rest of its worker. */
const RESTS = 100;
const YEAR_NS = 365 * 86_400e9;

async function lawsByStepped(competitor: LimitsCompetitor): Promise<(string | undefined)[]> {
  const { ownClockNs, scope } = competitor;
  const startsNs = ownClockNs === undefined ? STARTS_NS : [1e12];
  const sentences: (string | undefined)[] = [];
  for (const limit of LIMITS) {
    const setup = { ...limit, workers: scope === "one" ? 3 : 1 };
    for (const startNs of startsNs) {
      const takes = await steppedTakes(competitor, setup, startNs);
      for (const law of [neverOverLimit, asMuchAsTheRateAllows, waitIsRight])
        sentences.push(law(competitor, setup, takes));
    }
  }
  return sentences;
}

/** Takes in turn by any handle, between which the clock is moved by nothing, by a few tokens' time, or by a rest. */
async function steppedTakes(
  competitor: LimitsCompetitor,
  setup: LimitsSetup,
  startNs: number,
): Promise<Take[]> {
  const { ownClockNs = 1 } = competitor;
  let nowNs = startNs;
  const handles = attached(competitor, setup, () => nowNs);
  const random = new Random(setup.capacity);
  const tokenNs = 1e9 / setup.perSecond;
  const passNs = (ns: number) => {
    // Doubles of that size are multiples of this; so the sum is not rounded.
    const grain = Math.max(ownClockNs, 2 ** (Math.floor(Math.log2(nowNs + ns + 1)) - 52));
    nowNs = (Math.ceil(nowNs / grain) + Math.ceil(ns / grain)) * grain;
  };
  const takes: Take[] = [];
  const take = async (n: number, hasWaited: boolean) => {
    const handle = handles[random.below(handles.length)]!;
    const [waitMs, answer] = byClock(nowNs, () =>
      "tryTakeAsync" in handle ? [undefined, handle.tryTakeAsync(n)] : [handle.waitMs(n), handle.tryTake(n)],
    );
    const isGranted = await answer;
    takes.push({ atNs: nowNs, n, isGranted, hasWaited, ...(waitMs === undefined ? {} : { waitMs }) });
    return isGranted ? undefined : waitMs;
  };
  await take(setup.capacity, false);
  for (let step = 0; step < STEPS; step++) {
    const kind = random.below(4);
    if (random.below(RESTS) === 0) passNs(Math.floor((YEAR_NS * random.below(1000)) / 1000));
    else if (kind > 0) passNs(tokenNs * kind * random.fraction());
    const n = random.below(8) === 0 ? 1 + random.below(setup.capacity) : 1;
    const waitMs = await take(n, false);
    if (waitMs === undefined || random.below(2) === 0) continue;
    passNs(waitMs * 1e6);
    await take(n, true);
  }
  return takes;
}

/** Calls where the clocks of the thread say `nowNs`, and no timer runs, for what reads them. */
function byClock<Result>(nowNs: number, call: () => Result): Result {
  const clocks = [
    [performance, "now", () => nowNs / 1e6],
    [Date, "now", () => Math.floor(nowNs / 1e6)],
    [globalThis, "setTimeout", () => ({ unref() {} })],
  ] as const;
  const own = clocks.map(([object, name]) => Object.getOwnPropertyDescriptor(object, name));
  for (const [object, name, value] of clocks)
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  try {
    return call();
  } finally {
    for (const [index, [object, name]] of clocks.entries()) {
      if (own[index] === undefined) Reflect.deleteProperty(object, name);
      else Object.defineProperty(object, name, own[index]);
    }
  }
}

/**
 * A token each 20 s, longer than workers need to take what it holds. They need longer than a token may be late: 40 us
 * where ticks are coarse. No crew can share the tokens out evenly.
 */
const HARDLY_FILLS = { capacity: 1001, perSecond: 0.05 };
/** Fills in a tenth of a millisecond, and refuses most takes. */
const FILLS = { capacity: 20, perSecond: 2e5 };
const TAKES = 3000;

async function lawsUnderWorkers(
  competitor: LimitsCompetitor,
  url: string,
  shared: Piscina | undefined,
): Promise<(string | undefined)[]> {
  const threads = shared ?? examinationThreads();
  const { byKey } = competitor;
  try {
    const sentences: (string | undefined)[] = [];
    if (byKey !== undefined && competitor.scope === "one")
      sentences.push(await lawByPhases(byKey, FEW_KEYS, { url, threads, workers: MOST_WORKERS }));
    for (const workers of [1, 2, MOST_WORKERS]) {
      const hardly = { ...HARDLY_FILLS, workers };
      const drained = await crewOf(competitor, url, threads, hardly);
      sentences.push(tokensAreConserved({ held: hardly.capacity, taken: drained.length, terminated: 0 }));
      const fills = { ...FILLS, workers };
      const grants = await crewOf(competitor, url, threads, fills, TAKES);
      sentences.push(neverOverInWindows(competitor, fills, grants));
    }
    return sentences;
  } finally {
    if (shared === undefined) await threads.destroy();
  }
}

/** The grants of all workers of a crew. */
async function crewOf(
  competitor: LimitsCompetitor,
  url: string,
  threads: Piscina,
  setup: LimitsSetup,
  takes?: number,
): Promise<Grant[]> {
  const memory = allocateRegion(competitor.words(setup)).fill(LEFTOVER);
  competitor.format(memory, setup);
  const task = { url, memory, setup, gate: allocateRegion(1), clock: makeCrewClock() };
  const asked = takes === undefined ? task : { ...task, takes: Math.ceil(takes / setup.workers) };
  const grants = await Promise.all(
    Array.from(
      { length: setup.workers },
      (_, index) => threads.run({ ...asked, index } satisfies LimitsTask) as Promise<Grant[]>,
    ),
  );
  return grants.flat();
}

/** The largest crew of an examination. */
const MOST_WORKERS = 4;

export function examinationThreads(): Piscina {
  return threadsOf(new URL("./limits.examination.worker.ts", import.meta.url), MOST_WORKERS);
}
