import { AggregatorRegistry, Counter, exponentialBuckets, Gauge, Histogram, Registry } from "prom-client";
import { freeSeat } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { brokenLaws, type Part } from "../shared/program-laws.ts";
import { Random } from "../shared/sfc32.ts";
import {
  doublesAreWhole,
  extremesAreRecorded,
  extremesCoverBuckets,
  gaugesAreOfHolders,
  quantilesAreRecorded,
  shownAsPromClient,
  timersCountSeconds,
} from "./handles.laws.ts";
import { attachMetrics, makeMetrics, readMetrics, readSeries } from "./metrics.instance.ts";
import { Buckets } from "./parts/buckets.ts";
import { OwnCells, WORDS_OF_CELL } from "./parts/cells.ts";
import { DOUBLES_OF_EXTREMES, Doubles, Extremes, readExtremes, WORDS_OF_DOUBLE } from "./parts/doubles.ts";
import { cellsOf, ownHistogram, readHistogram } from "./parts/own.ts";
import { registerMetrics } from "./parts/prometheus.ts";

const LABELS = { method: ["GET", "POST"], status: [200, 404, 500] } as const;
const SERIES = LABELS.method.flatMap((method) => LABELS.status.map((status) => ({ method, status })));
const labelNames = Object.keys(LABELS);
const HELP = "of an\nexamination";

/** Metrics of all kinds, ours for two workers and prom-client's own, in a registry each. */
function bothKinds() {
  const buckets = [0.125, 0.25, 1, 5];
  const instance = makeMetrics({
    workers: 2,
    counters: { requests_total: { help: HELP, labels: LABELS } },
    gauges: { open: { help: HELP, labels: LABELS }, level: HELP },
    histograms: {
      seconds: { help: HELP, labels: LABELS, buckets },
      size: { help: HELP, from: 1 / 50, to: 4 },
    },
  });
  const [ours, theirs] = [new Registry(), new Registry()];
  registerMetrics(instance, ours);
  const described = (name: string) => ({ name, help: HELP, registers: [theirs] });
  const own = {
    requests_total: new Counter({ ...described("requests_total"), labelNames }),
    open: new Gauge({ ...described("open"), labelNames }),
    level: new Gauge(described("level")),
    seconds: new Histogram({ ...described("seconds"), labelNames, buckets }),
    size: new Histogram({ ...described("size"), buckets: exponentialBuckets(1 / 64, 2, 9) }),
  };
  // prom-client shows a series from its first use on.
  for (const labels of SERIES) {
    own.requests_total.inc(labels, 0);
    own.open.set(labels, 0);
    own.seconds.zero(labels);
  }
  return { instance, ours, theirs, own };
}

/** What a cluster shows of two processes that have counted the same. */
async function ofTwoProcesses(registry: Registry): Promise<string> {
  const counted = [await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()];
  return await AggregatorRegistry.aggregate(counted).metrics();
}

/** Of a gauge: of histograms prom-client puts labels in another order then. */
async function withDefaultLabel(registry: Registry): Promise<string> {
  registry.setDefaultLabels({ app: "lab" });
  return await registry.getSingleMetricAsString("level");
}

const OPERATIONS = 2_000;

/** Random operations of two workers, and the same of prom-client's. */
async function besidePromClient(): Promise<(string | undefined)[]> {
  const { instance, ours, theirs, own } = bothKinds();
  const workers = [attachMetrics(instance, 0), attachMetrics(instance, 1)] as const;
  const random = new Random(1);
  for (let done = 0; done < OPERATIONS; done++) {
    const { requests_total, open, level, seconds, size } = workers[random.below(2)]!;
    const labels = SERIES[random.below(SERIES.length)]!;
    const n = random.below(100);
    // A multiple of what sums are kept in, among the bounds, at them and beyond.
    const value = random.below(6 * 64) / 64;
    requests_total.labels(labels).add(n);
    own.requests_total.inc(labels, n);
    open.labels(labels).add(n - 50);
    own.open.inc(labels, n - 50);
    level.add(value);
    own.level.inc(value);
    seconds.labels(labels).record(value);
    own.seconds.labels(labels).observe(value);
    size.record(value);
    own.size.observe(value);
  }
  const [first, expected] = [await ours.metrics(), await theirs.metrics()];
  const together = [await ofTwoProcesses(ours), await ofTwoProcesses(theirs)] as const;
  ours.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  theirs.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  const asOpenMetrics = shownAsPromClient(await ours.metrics(), await theirs.metrics());
  // prom-client's own counters are without _total from then on.
  ours.setContentType(Registry.PROMETHEUS_CONTENT_TYPE as never);
  const again = await ours.metrics();
  const labelled = [await withDefaultLabel(ours), await withDefaultLabel(theirs)] as const;
  const total = readMetrics(instance).requests_total;
  const series = readSeries(instance, "requests_total").map(({ value }) => value);
  return [
    shownAsPromClient(first, expected),
    shownAsPromClient(...together),
    shownAsPromClient(...labelled),
    asOpenMetrics,
    shownAsPromClient(again, expected),
    shownAsPromClient(String(total), String(series.reduce((sum, value) => sum + value, 0))),
  ];
}

const RANGES = [
  { from: 1, to: 100, error: 1 / 32 },
  { from: 0.3, to: 5, error: 1 / 8 },
];
const QUANTILES = [0, 0.01, 0.25, 0.5, 0.9, 0.99, 1];

/** Values of one worker and of two: at the least of the range, below it, within it and beyond. */
function quantiles(): (string | undefined)[] {
  const random = new Random(2);
  return RANGES.flatMap((range) => {
    const { from, to } = range;
    const draws = [
      () => from,
      () => from * (random.below(4) === 0 ? 0.1 : 1),
      () => from * (1 + random.fraction()),
      () => random.fraction() * from,
      () => (random.below(2) === 0 ? 0 : -0),
      () => to * (1 + random.fraction()),
      () => from * (to / from) ** random.fraction(),
    ];
    return draws.flatMap((draw) =>
      [1, 2, 40].flatMap((count) => quantilesOf(range, Array.from({ length: count }, draw))),
    );
  });
}

function quantilesOf(range: (typeof RANGES)[number], values: readonly number[]): (string | undefined)[] {
  const instance = makeMetrics({ workers: 2, histograms: { size: { help: HELP, ...range } } });
  const workers = [attachMetrics(instance, 0), attachMetrics(instance, 1)] as const;
  for (const [at, value] of values.entries()) workers[at % 2]!.size.record(value);
  // The next in the seat has the extremes of the one before.
  freeSeat(instance, 1);
  attachMetrics(instance, 1).size.record(values[0]!);
  const sorted = [...values, values[0]!].sort((one, other) => one - other);
  const reading = readMetrics(instance).size;
  return [
    extremesAreRecorded(`${reading.min}, ${reading.max}`, `${sorted[0]! + 0}, ${sorted.at(-1)! + 0}`),
    ...QUANTILES.map((q) => quantilesAreRecorded(q, reading.quantile(q), sorted, range)),
  ];
}

/** Two workers set gauges, one of them leaves, and another takes its seat. */
function gauges(): (string | undefined)[] {
  const gauges = {
    sum: HELP,
    min: { help: HELP, aggregator: "min" },
    max: { help: HELP, aggregator: "max", labels: { of: ["a", "b"] } },
  } as const;
  const instance = makeMetrics({ workers: 2, gauges });
  const read = () => {
    const { sum, min, max } = readMetrics(instance);
    return [sum, min, max];
  };
  const set = (worker: ReturnType<typeof attach>, value: number) => {
    worker.sum.set(value);
    worker.min.set(value);
    worker.max.labels({ of: "b" }).set(value);
  };
  const attach = (index: number) => attachMetrics(instance, index);
  const none = gaugesAreOfHolders(read(), [0, 0, 0]);
  const [one, other] = [attach(0), attach(1)];
  set(one, 7.5);
  set(other, -2.25);
  other.sum.add(-0.5);
  other.sum.add();
  const both = gaugesAreOfHolders(read(), [5.75, -2.25, 7.5]);
  freeSeat(instance, 0);
  const left = gaugesAreOfHolders(read(), [-1.75, -2.25, 0]);
  attach(0);
  return [none, both, left, gaugesAreOfHolders(read(), [-1.75, -2.25, 0])];
}

/** Two timers, one of a series and one that hears of it at its end. */
function timers(): (string | undefined)[] {
  const labels = { route: ["/", "/cart"] };
  const instance = makeMetrics({ workers: 1, histograms: { seconds: { help: HELP, labels, from: 1e-6 } } });
  const { seconds } = attachMetrics(instance, 0);
  const beganMs = performance.now();
  const ends = [seconds.labels({ route: "/" }).startTimer(), seconds.startTimer()] as const;
  while (performance.now() - beganMs < 2);
  const returned = [ends[0](), ends[1]({ route: "/cart" })];
  const passed = (performance.now() - beganMs) / 1000;
  return readSeries(instance, "seconds").map(({ value }, at) =>
    timersCountSeconds(value.sum, returned[at]!, passed),
  );
}

/** Both halves of each are other than those of the one before. */
const STORED = [0, 0.1, 1 / 3];

/** Every interleaving of a thread that stores doubles and one that loads them twice. */
function interleavedDoubles(): string[] {
  const storing: Part = (words) => {
    for (const value of STORED.slice(1)) new Doubles(words).store(0, value);
  };
  const loading: Part = (words, { note }) => {
    const doubles = new Doubles(words);
    for (let times = 0; times < 2; times++) note(STORED.indexOf(doubles.load(0)));
  };
  const program = { memory: allocateRegion(WORDS_OF_DOUBLE), threads: [[storing], [loading]] };
  return brokenLaws(program, [
    { name: "doublesAreWhole", end: ({ threads }) => doublesAreWhole(threads[1]!.notes) },
  ]);
}

/** Every interleaving of a thread that records a value and one that reads. */
function interleavedExtremes(): string[] {
  const buckets = new Buckets({ from: 1.5, to: 2, error: 0.5 });
  const place = { first: 0, step: 1, apart: cellsOf(buckets) };
  // Behind the cells, of which there are an even number.
  const double = (WORDS_OF_CELL * place.apart) / WORDS_OF_DOUBLE;
  const recording: Part = (memory) => {
    const extremes = new Extremes(new Doubles(memory), double);
    ownHistogram(new OwnCells(memory, place), 0, buckets, extremes).record(1.75);
  };
  const reading: Part = (memory, { note }) => {
    const { buckets: counts } = readHistogram(memory, [place], 0, buckets);
    const { least, greatest } = readExtremes(new Doubles(memory), double);
    note(
      counts.reduce((sum, count) => sum + count, 0),
      least <= greatest ? 1 : 0,
    );
  };
  const memory = allocateRegion(WORDS_OF_DOUBLE * (double + DOUBLES_OF_EXTREMES));
  return brokenLaws({ memory, threads: [[recording], [reading]] }, [
    {
      name: "extremesCoverBuckets",
      end({ threads }) {
        const [counted, areThere] = threads[1]!.notes;
        return extremesCoverBuckets(counted!, areThere === 1);
      },
    },
  ]);
}

/** The sentences of all broken laws. */
export default async function examined(): Promise<string[]> {
  const sentences = [
    ...(await besidePromClient()),
    ...quantiles(),
    ...gauges(),
    ...timers(),
    ...interleavedDoubles(),
    ...interleavedExtremes(),
  ];
  return sentences.filter((sentence) => sentence !== undefined);
}
