import type { MetricsCompetitor, Recorder, Totals } from "../../structures/metrics/metrics.contract.ts";
import {
  addsAreConserved,
  bucketsAreRight,
  readsNeverFall,
  sumIsRight,
} from "../../structures/metrics/metrics.laws.ts";
import { Buckets } from "../../structures/metrics/parts/buckets.ts";
import { allocateDoubles, allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { CPU_TIME, type Runner, race, type Setup, type WorkDone } from "../engine/race.ts";

interface Params {
  /** Latencies that are recorded in turn, in s: a power of two. */
  readonly latencies: number;
}

interface Shared {
  readonly memory: Region;
  /** Written before the race, and read by all workers. */
  readonly latencies: Float64Array;
}

/** The range that a histogram of hotpath-lab/metrics has by default, for latencies in s. */
const RANGE = { from: 0.0001, to: 100, error: 1 / 32 };
const SIZES = { full: { latencies: 4096 }, smoke: { latencies: 256 } };

/** From 1 ms, a service's usual, to 16 s, a timeout: most are short, each doubling half as likely as the one before. */
const SHORTEST_S = 0.001;
const MOST_DOUBLINGS = 14;

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly operation: string;
  readonly headline: boolean;
  readonly alike?: string;
  /** Worker 0 reads in the place of counting. */
  readonly reads?: true;
  /** What one operation of a worker that counts is. */
  count(recorder: Recorder, latency: number): void;
  /** Whether an operation raises the counter by 1. */
  readonly adds: boolean;
  /** Whether it records the latency. */
  readonly records: boolean;
}

const READER = "reader";
const WRITER = "writer";

/** Workers that count as fast as they can. */
export function counting({ reads, count, adds, records, ...described }: Described) {
  return race<MetricsCompetitor, Params, Shared>({
    ...described,
    baseline: "shared-atomics-add",
    params: SIZES,
    columns: { cpu: CPU_TIME },
    placement: ({ reading }) => (reading === "asked" ? "objects" : "arena"),
    ...(reads
      ? { minWorkers: 2, role: (index: number) => (index === 0 ? READER : WRITER), absent: asked }
      : {}),

    prepare(competitor, { params, workers, seed }) {
      const setup = { workers, range: RANGE };
      const memory = allocateRegion(competitor.words(setup));
      competitor.format(memory, setup);
      const latencies = allocateDoubles(params.latencies);
      const random = new Random(seed);
      for (let at = 0; at < latencies.length; at++) latencies[at] = latencyOf(random);
      return { memory, latencies };
    },

    attach(competitor, { params, workers }, { memory, latencies }, worker): Runner {
      const setup = { workers, range: RANGE };
      if (worker.role === READER) return readerOf(competitor.reader!(memory, setup));
      const recorder = competitor.attach(memory, setup, worker);
      const last = params.latencies - 1;
      let next = 0;
      return {
        run(operations) {
          for (let done = 0; done < operations; done++) {
            count(recorder, latencies[next]!);
            next = (next + 1) & last;
          }
          return operations | 0;
        },
        counters: () => countersOf(recorder),
      };
    },

    law(competitor, setup, { memory, latencies }, work) {
      const writers = work.filter(({ role }) => role !== READER);
      const fell = work.find(({ counters }) => (counters.falls ?? 0) > 0);
      if (fell !== undefined)
        return `readsNeverFall: the reader saw less than before ${fell.counters.falls} times`;
      const totals = totalsOf(competitor, memory, setup, writers);
      const operations = writers.reduce((sum, writer) => sum + writer.operations, 0);
      return (
        addsAreConserved(competitor, totals.count, adds ? operations : 0) ??
        (records ? recordsAreRight(competitor, totals, latencies, writers) : undefined)
      );
    },
  });
}

function asked({ reading }: MetricsCompetitor): string | undefined {
  return reading === "asked" ? "a reader has to ask each worker, which answers when it has time" : undefined;
}

/** One of the latencies, in s. */
function latencyOf(random: Random): number {
  let doublings = 0;
  while (doublings < MOST_DOUBLINGS && random.below(2) === 0) doublings++;
  return SHORTEST_S * 2 ** doublings * (1 + random.fraction());
}

/** One operation reads everything, as an answer to Prometheus does. */
function readerOf(read: () => Totals): Runner {
  let earlier: Totals | undefined;
  let falls = 0;
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) {
        const totals = read();
        if (readsNeverFall(earlier, totals) !== undefined) falls++;
        earlier = totals;
        sum = (sum + totals.count) | 0;
      }
      return sum;
    },
    counters: () => ({ falls }),
  };
}

/** The counts that only their worker can read; a bucket's name is its number. */
function countersOf(recorder: Recorder): Record<string, number> {
  const own = recorder.own?.();
  if (own === undefined) return {};
  return { count: own.count, sum: own.sum, ...Object.fromEntries(own.buckets.entries()) };
}

function totalsOf(
  { reader }: MetricsCompetitor,
  memory: Region,
  { workers }: Setup<Params>,
  writers: readonly WorkDone[],
): Totals {
  if (reader !== undefined) return reader(memory, { workers, range: RANGE })();
  const of = (name: string) => writers.reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);
  return {
    count: of("count"),
    sum: of("sum"),
    buckets: Array.from({ length: new Buckets(RANGE).ends().length + 1 }, (_, bucket) => of(String(bucket))),
  };
}

/** Each worker has recorded all latencies in turn, from the first one on. */
function recordsAreRight(
  competitor: MetricsCompetitor,
  totals: Totals,
  latencies: Float64Array,
  writers: readonly WorkDone[],
): string | undefined {
  const buckets = new Buckets(RANGE);
  const bounds =
    competitor.buckets === "octaves"
      ? buckets.ends().map((index) => buckets.boundOf(index))
      : Array.from({ length: buckets.count - 1 }, (_, bucket) => buckets.boundOf(bucket));
  const recorded = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  for (const [at, latency] of latencies.entries()) {
    const times = writers.reduce(
      (all, { operations }) => all + Math.floor((operations + latencies.length - 1 - at) / latencies.length),
      0,
    );
    const bucket = bounds.findIndex((bound) => latency <= bound);
    recorded[bucket === -1 ? bounds.length : bucket]! += times;
    sum += times * latency;
  }
  return (
    bucketsAreRight(totals.buckets, recorded) ??
    // What each worker keeps of a unit, and the rounding of as many additions.
    sumIsRight(totals.sum, sum, writers.length * buckets.unit + sum * 1e-6)
  );
}
