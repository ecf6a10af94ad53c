import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Piscina } from "piscina";
import type { Examination } from "../shared/contract.ts";
import { asserted, examined, threadsOf } from "../shared/examination.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { contract, type MetricsCompetitor, type MetricsSetup, type Totals } from "./metrics.contract.ts";
import {
  addsAreConserved,
  bucketsAreRight,
  emptyAtFirst,
  quantilesAreBounded,
  readsAreWhole,
  readsNeverFall,
  seatIsContinued,
  sumIsRight,
} from "./metrics.laws.ts";
import { Buckets, type HistogramRange, quantileOf } from "./parts/buckets.ts";

/**
 * Every law of metrics applied to one competitor: alone, and under workers beside which a reader reads. Written once, so
 * that a newcomer is examined like every other competitor.
 *
 * Each worker adds the same number again and again, as large as its counter can take. So most adds overflow the low word
 * of a count, and a torn read is seldom a multiple of that number.
 */

/** What one worker of an examination is asked to do. */
export interface MetricsTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: MetricsSetup;
  readonly index: number;
  /** Two words: workers that are ready, and workers that are done. */
  readonly gate: Region;
  /** What it adds each time. */
  readonly step: number;
}

export const READY = 0;
export const DONE = 1;
const GATE_WORDS = 2;

/** Of each worker. */
export const ADDS = 24_000;
export const ADDS_PER_RECORD = 8;
const RECORDS = ADDS / ADDS_PER_RECORD;

/** Of the examination, 14 octaves of 8 buckets: its numbers are no powers of two. */
const RANGE: HistogramRange = { from: 0.001, to: 10, error: 1 / 16 };
const QUANTILES = [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1];

/** The least number of workers that a reader can see at different moments, and one more. */
const CREWS = [1, 3];
const MOST_WORKERS = Math.max(...CREWS);

/** In every word before format, which must count on nothing that stood there. */
const LEFTOVER = -7;
/** Between two looks at what else the event loop has to do, in ms. */
const READING_MS = 2;

export const examination = {
  tries: "adds that overflow and values at and between bounds, alone and under 3 workers beside a reader",
  /** `threads`: of `examinationThreads`; its own where there are none. */
  examine: (url: string, threads?: Piscina) =>
    examined(url, contract, async (competitor: MetricsCompetitor) => {
      const own = threads ?? examinationThreads();
      try {
        const broken: (string | undefined)[] = [];
        for (const workers of CREWS) broken.push(...(await crewLaws(competitor, url, workers, own)));
        return [
          ...broken,
          ...seatLaws(competitor),
          await asserted("badInputIsRefused", () => assertBadInputIsRefused(competitor)),
        ];
      } finally {
        if (threads === undefined) await own.destroy();
      }
    }),
} satisfies Examination;

/** Threads for any number of examinations, one at a time: to start them takes longer than to examine. Destroy it. */
export function examinationThreads(): Piscina {
  return threadsOf(new URL("./metrics.examination.worker.ts", import.meta.url), MOST_WORKERS);
}

function formatted(competitor: MetricsCompetitor, setup: MetricsSetup): Region {
  const memory = allocateRegion(competitor.words(setup)).fill(LEFTOVER) as Region;
  competitor.format(memory, setup);
  return memory;
}

async function crewLaws(
  competitor: MetricsCompetitor,
  url: string,
  workers: number,
  threads: Piscina,
): Promise<(string | undefined)[]> {
  const setup = { workers, range: RANGE };
  const memory = formatted(competitor, setup);
  const read = competitor.reader?.(memory, setup);
  const first = read === undefined ? undefined : emptyAtFirst(read());
  const gate = allocateRegion(GATE_WORDS);
  const step = Math.min(2 ** 31 - 1, Math.floor(competitor.exactTo / (workers * ADDS)));
  const task = { url, memory, setup, gate, step };
  const ends = Promise.all(
    Array.from(
      { length: workers },
      (_, index): Promise<Totals | undefined> => threads.run({ ...task, index } satisfies MetricsTask),
    ),
  );
  const beside =
    read === undefined ? [] : await readBeside(read, ends, { gate, step, most: workers * ADDS * step });
  const reports = await ends;
  const totals = read?.() ?? together(reports as Totals[]);
  return [first, ...beside, ...atRest(competitor, setup, totals, workers * ADDS * step)];
}

/** Reads until all workers are done, or one has failed. */
async function readBeside(
  read: () => Totals,
  ends: Promise<unknown>,
  { gate, step, most }: { readonly gate: Region; readonly step: number; readonly most: number },
): Promise<(string | undefined)[]> {
  let earlier: Totals | undefined;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ends.then(over, over);
  while (!isOver) {
    // Blocks the event loop now and then, because it takes longer to come back to it than to read many times.
    for (const until = performance.now() + READING_MS; performance.now() < until; ) {
      const totals = read();
      const broken = [readsNeverFall(earlier, totals), readsAreWhole(totals.count, step, most)].filter(
        (sentence) => sentence !== undefined,
      );
      if (broken.length > 0) return broken;
      earlier = totals;
      if (Atomics.load(gate, READY) === Atomics.load(gate, DONE)) break;
    }
    await setImmediate();
  }
  return [];
}

function atRest(
  competitor: MetricsCompetitor,
  { workers, range }: MetricsSetup,
  { count, sum, buckets }: Totals,
  added: number,
): (string | undefined)[] {
  const values = Array.from({ length: workers }, (_, index) => valuesOf(index, range)).flat();
  const recorded = countsOf(range, values);
  const isCoarse = competitor.buckets === "octaves";
  const broken = [
    addsAreConserved(competitor, count, added),
    bucketsAreRight(buckets, isCoarse ? octavesOf(range, recorded) : recorded),
    sumIsRight(
      sum,
      values.reduce((total, value) => total + value, 0),
      toleranceOf(workers, sum),
    ),
  ];
  if (isCoarse) return broken;
  const inRange = values.filter((value) => value >= range.from && value <= range.to);
  const only = countsOf(range, inRange).map((right, index) => buckets[index]! - recorded[index]! + right);
  const sorted = inRange.toSorted((one, other) => one - other);
  for (const q of QUANTILES) {
    const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1]!;
    broken.push(quantilesAreBounded(q, quantileOf(new Buckets(range), only, q), exact, range.error));
  }
  return broken;
}

/** What a sum may be wrong by: a unit of each worker, and the rounding of doubles. */
function toleranceOf(workers: number, sum: number): number {
  return workers * new Buckets(RANGE).unit + Math.abs(sum) * 1e-9;
}

function seatLaws(competitor: MetricsCompetitor): (string | undefined)[] {
  const { reader } = competitor;
  if (reader === undefined) return [];
  const setup = { workers: 2, range: RANGE };
  const memory = formatted(competitor, setup);
  const read = reader(memory, setup);
  const hold = (generation: number, times: number, value: number): Totals => {
    const recorder = competitor.attach(memory, setup, { ...workerIdentity(1, 2, generation), generation });
    for (let time = 0; time < times; time++) {
      recorder.add(LARGE);
      recorder.record(value);
    }
    return { count: times * LARGE, sum: times * value, buckets: [times] };
  };
  const before = hold(0, 5, 3);
  const next = hold(1, 7, 0.02);
  return [seatIsContinued(read(), before, next, toleranceOf(2, before.sum))];
}

/** Twelve of them fit a count of 32 bits, and overflow one of 31. */
const LARGE = 300_000_000;

function assertBadInputIsRefused(competitor: MetricsCompetitor): void {
  const setup = { workers: 1, range: RANGE };
  const memory = formatted(competitor, setup);
  const recorder = competitor.attach(memory, setup, workerIdentity(0, 1, 1));
  for (const n of [-1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    assert.throws(() => recorder.add(n), Error, `add(${n})`);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => recorder.record(value), Error, `record(${value})`);
  const totals = competitor.reader?.(memory, setup)() ?? recorder.own!();
  assert.equal(emptyAtFirst(totals), undefined, "what was refused is counted");
}

/** What several workers counted. */
function together(reports: readonly Totals[]): Totals {
  const of = (figure: (totals: Totals) => number) => reports.reduce((sum, totals) => sum + figure(totals), 0);
  return {
    count: of(({ count }) => count),
    sum: of(({ sum }) => sum),
    buckets: reports[0]!.buckets.map((_, index) => of(({ buckets }) => buckets[index]!)),
  };
}

/** The values that worker `index` records: a quarter of them bounds, some outside the range or -0, the others anywhere. */
export function valuesOf(index: number, range: HistogramRange): number[] {
  const random = new Random(index + 1);
  const bounds = boundsOf(range);
  const [lowest, highest] = [bounds[0]!, bounds.at(-1)!];
  return Array.from({ length: RECORDS }, () => {
    const kind = random.below(16);
    if (kind === 0) return random.below(2) === 0 ? -0 : random.fraction() * lowest;
    if (kind === 1) return highest * (1 + random.below(1_000));
    if (kind < 6) return bounds[random.below(bounds.length)]!;
    return lowest * (highest / lowest) ** random.fraction();
  });
}

/** The bounds of a range's buckets but the last, one by one. */
function boundsOf({ from, to, error }: HistogramRange): number[] {
  let lowest = 1;
  while (lowest >= from) lowest /= 2;
  while (2 * lowest < from) lowest *= 2;
  let perOctave = 1;
  while (1 / (2 * perOctave) > error) perOctave *= 2;
  const bounds = [lowest];
  for (let octave = lowest; octave < to; octave *= 2)
    for (let part = 1; part <= perOctave; part++) bounds.push(octave * (1 + part / perOctave));
  return bounds;
}

/** How many of these values belong to each bucket, by looking at its bound. */
function countsOf(range: HistogramRange, values: readonly number[]): number[] {
  const bounds = [...boundsOf(range), Number.POSITIVE_INFINITY];
  const counts = new Array<number>(bounds.length).fill(0);
  for (const value of values) counts[bounds.findIndex((bound) => value <= bound)]!++;
  return counts;
}

/** The same for one bucket for each doubling. */
function octavesOf(range: HistogramRange, counts: readonly number[]): number[] {
  const [first, ...others] = counts;
  const bounds = boundsOf(range);
  const perOctave = bounds.findIndex((bound) => bound >= 2 * bounds[0]!);
  const last = others.pop()!;
  const octaves: number[] = [];
  for (let from = 0; from < others.length; from += perOctave)
    octaves.push(others.slice(from, from + perOctave).reduce((sum, count) => sum + count, 0));
  return [first!, ...octaves, last];
}
