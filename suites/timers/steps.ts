import { Random } from "../../structures/shared/sfc32.ts";
import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import type { Runner } from "../engine/race.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import { CountedCopy, stepsIn, type Work } from "../shared/counted-work.ts";
import { type Instruments, type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import { START_TICK } from "./messages.ts";
import { Cancelling, populationLaw, Setting } from "./population.ts";
import { bytesFor } from "./sizes.ts";

/**
 * Steps of an operation by the number of timers, counted. Counts that grow like log N show O(log N), whatever the
 * caches make of it. A time that grows shows caches and growth together.
 */
export interface StepParams {
  readonly sizes: Sizes;
  /** Timers set or cancelled while it is counted. */
  readonly operations: number;
}

/** By size label. From a thousand to a million the logarithm doubles. */
type Sizes = Readonly<Record<Label, number>>;
type Label = (typeof LABELS)[number];
const LABELS = ["1k", "32k", "1m"] as const;

export const STEP_SIZES: { readonly full: Sizes; readonly smoke: Sizes } = {
  full: { "1k": 1_000, "32k": 32_000, "1m": 1_000_000 },
  smoke: { "1k": 50, "32k": 100, "1m": 200 },
};

/** The source's own structures, and of each other kind the plainest. Code of packages and WebAssembly is not counted. */
export const COUNTED = [
  "hashed-wheel",
  ...["source-heap", "source-wheel", "source-wheel-stamped"],
  ...["object-heap-lazy", "object-heap", "binary-heap", "four-ary-heap"],
  ...["hashed-wheel-rounds", "hierarchical-wheel", "lazy-refresh-wheel", "two-wheels", "sweep"],
];

const ROUNDS = 8;

/** A population, in batches: `prepare` is not counted, `run` is. */
type Batches = Required<Pick<Runner, "prepare" | "counters" | "mostOperations">> & Runner;

/** Steps of setting or cancelling one of N timers that are due anywhere in the next minute. */
export function stepsOf(
  operation: "set" | "cancel",
  title: string,
  make: (timers: TimerSet, size: number, seed: number) => Batches,
): Scenario {
  return survey<TimersCompetitor, StepParams>({
    ...DESCRIBED,
    scenario: `steps-${operation}`,
    title,
    params: {
      full: { sizes: STEP_SIZES.full, operations: 1000 },
      smoke: { sizes: STEP_SIZES.smoke, operations: 10 },
    },
    metrics: {
      ...perSize("steps", "Steps", `/${operation}`),
      ...{ visits1m: steps("Visits, 1m", operation), comparisons1m: steps("Comparisons, 1m", operation) },
      words1m: steps("Words, 1m", operation),
    },
    async run(_competitor, { sizes, operations }, seed, { competitorUrl }) {
      const copy = await CountedCopy.of<TimersCompetitor>(competitorUrl);
      const metrics: Record<string, number> = {};
      for (const label of LABELS) {
        const size = sizes[label];
        const runner = make(privateTimers(copy.competitor, size), size, seed);
        const some = Math.min(operations, runner.mostOperations);
        const works: Work[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          runner.prepare(some);
          works.push(await copy.workOf(() => runner.run(some)));
        }
        const broken = populationLaw(copy.competitor, { counters: runner.counters() });
        if (broken !== undefined) throw new Error(broken);
        const work = perOperation(works, ROUNDS * some);
        const { visits, comparisons, words } = work;
        metrics[`steps${label}`] = stepsIn(work);
        if (label === "1m")
          Object.assign(metrics, { visits1m: visits, comparisons1m: comparisons, words1m: words });
      }
      copy.end();
      return metrics;
    },
    law: () => undefined,
  });
}

export const setting = (timers: TimerSet, size: number, seed: number) => new Setting(timers, size, seed);
export const cancelling = (timers: TimerSet, size: number, seed: number) =>
  new Cancelling(timers, size, seed);

/** What all of these surveys have in common. One process holds one structure at its largest. */
const DESCRIBED = {
  headline: false,
  baseline: "hashed-wheel",
  competitors: COUNTED,
  mostForks: 2,
  secondsPerFork: 20,
  bytesPerWorker: (competitor: TimersCompetitor | undefined, { sizes }: { readonly sizes: Sizes }) =>
    bytesFor(competitor, sizes["1m"]),
};

function steps(title: string, operation: string): Metric {
  return { title, unit: `/${operation}`, digits: 1 };
}

function perSize(key: string, title: string, unit: string, digits = 1): Record<string, Metric> {
  return Object.fromEntries(
    LABELS.map((label) => [`${key}${label}`, { title: `${title}, ${label}`, unit, digits }]),
  );
}

function perOperation(works: readonly Work[], operations: number): Work {
  const sum = (kind: keyof Work) => works.reduce((total, work) => total + work[kind], 0) / operations;
  return { visits: sum("visits"), comparisons: sum("comparisons"), words: sum("words") };
}

/** When the timers of a tick's survey are due, in ticks from now, and for how many ticks of a second none of them is. */
interface Due {
  readonly from: number;
  readonly to: number;
  readonly emptySeconds: number;
}

const SECOND_TICKS = 1000;
/**
 * The source's case, 30 s on 60 slots. Each connection was heard within the last 10 s, so all are due in 20 to 30 s,
 * and no task has a turn left.
 */
const SOURCE_CASE: Due = { from: 20_000, to: 30_000, emptySeconds: 19 };
/** Timeouts of ten minutes, the general case: tasks in all of the 60 slots, with turns left. */
const LATER_ROTATIONS: Due = { from: 540_000, to: 600_000, emptySeconds: 60 };

/** Sets timers; returns what lets the seconds pass. They are new each time, so nothing postponed comes due. */
function emptySeconds(
  competitor: TimersCompetitor,
  size: number,
  { from, to, emptySeconds }: Due,
  seed: number,
): () => void {
  const timers = privateTimers(competitor, size);
  const random = new Random(seed);
  const out = new Int32Array(1);
  timers.advance(START_TICK, out, 1);
  for (let added = 0; added < size; added++) timers.add((START_TICK + from + random.below(to - from)) | 0);
  return () => {
    for (let second = 1; second <= emptySeconds; second++) {
      const count = timers.advance((START_TICK + second * SECOND_TICKS) | 0, out, 1);
      if (count > 0) throw new Error("a timer was reported before it was due");
    }
    if (timers.size !== size) throw new Error(`${timers.size} timers are live, not ${size}`);
  };
}

const TICK_METRICS = {
  ...perSize("source", "30 s", "steps/tick"),
  ...perSize("later", "10 min", "steps/tick"),
  ...perSize("sourceTime", "30 s", "us/tick", 2),
  ...perSize("laterTime", "10 min", "us/tick", 2),
};

export interface TickParams {
  readonly sizes: Sizes;
  /** Sets that it is timed with, at the largest size; more at the others. */
  readonly sets: number;
}

/** Steps and time of a tick of a second at which nothing is due, where no rotations are left and where some are. */
export function emptyTick(): Scenario {
  return survey<TimersCompetitor, TickParams>({
    ...DESCRIBED,
    scenario: "steps-tick",
    title:
      "a tick of a second at which none of 1,000, 32,000 or 1,000,000 timers is due: all due in 20 to 30 s, as the source has them on 60 slots, and in 9 to 10 min, with rotations left; steps counted, and time",
    params: {
      full: { sizes: STEP_SIZES.full, sets: 4 },
      smoke: { sizes: STEP_SIZES.smoke, sets: 1 },
    },
    metrics: TICK_METRICS,
    async run(competitor, { sizes, sets }, seed, { competitorUrl, nowNs }: Instruments) {
      const metrics: Record<string, number> = {};
      const cells = LABELS.flatMap((label) =>
        CASES.map(([key, due]) => ({ label, size: sizes[label], key, due })),
      );
      for (const { label, size, key, due } of cells) {
        const times = Math.min(MOST_SETS, Math.ceil((sets * sizes["1m"]) / size));
        const timesUs = Array.from({ length: times }, () => {
          const pass = emptySeconds(competitor, size, due, seed);
          const begunNs = nowNs();
          pass();
          return (nowNs() - begunNs) / due.emptySeconds / 1000;
        });
        metrics[`${key}Time${label}`] = quantile(timesUs.toSorted(ascending), 0.5);
      }
      // From here on all that is compiled has counters, and no time is worth anything.
      const copy = await CountedCopy.of<TimersCompetitor>(competitorUrl);
      for (const { label, size, key, due } of cells) {
        const work = await copy.workOf(emptySeconds(copy.competitor, size, due, seed));
        metrics[`${key}${label}`] = stepsIn(work) / due.emptySeconds;
      }
      copy.end();
      return metrics;
    },
    law: () => undefined,
  });
}

const CASES = [
  ["source", SOURCE_CASE],
  ["later", LATER_ROTATIONS],
] as const;
/** At a thousand timers, enough for the code to be compiled long before the middle one. */
const MOST_SETS = 200;
