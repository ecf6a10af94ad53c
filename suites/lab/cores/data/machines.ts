import type { CostName, Machine, Parameter } from "../machine/machine.ts";

/**
 * The machines that are simulated: the one that measured the published records, and two servers on which others
 * measured how long a line takes from core to core.
 *
 * Those measurements let two cores change one word by compare-exchange in turn, and give half of a round trip. This is
 * one handover: `travel` finds how long a line travels for that.
 *
 * Both servers are x86 processors, where a read-modify-write always brings the line to its core. Arm's processors may
 * send the operation to the line instead: 16 cores of a Graviton 2 add to one word every 9 ns, while a line takes 47 ns
 * from core to core there. Such a machine needs another model than that of lines that travel.
 */

const HANDOVERS = "nviennot/core-to-core-latency at commit 96a943a (2023)";
const DOWNS =
  "travisdowns/concurrency-hierarchy-bench at commit 1b3f7f8 (2021), for T. Downs, A Concurrency Cost Hierarchy (2020)";
const V8_WAITERS =
  "One mutex guards all waiters of the process, and a woken thread takes it again: v8/v8 at commit 0ee5cf9, src/execution/futex-emulation.cc, GetWaitList, Wake and WaitSyncImpl";
const LINUX_SLICE =
  "Linux, kernel/sched/fair.c: a slice is 0.70 ms times 1 + log2 of the cores, of which at most 8 count; it is looked at when the timer ticks, every 4 ms at this kernel's 250 Hz";
const NOT_PUBLISHED = "not published: assumed";
const MEASURED = "measured here with Node 24.21 by suites/lab/cores/measure-costs.ts of commit 21ca1818";
const UPDATE_HERE =
  "the loop of wasm-fetch-and-add-loop takes 4.7 ns for one worker, Atomics.add of V8 8.2 ns: results/pick/uniform-8.md";
const NO_SUCH_PAIR = "this machine has no such pair of cores, so it is never used";
const FITTED = "fitted by suites/lab/cores/fit.ts to what six structures cost at two workers";

/** How lines are handed on in detail. */
const LINE_COSTS = {
  copyShare: parameter(0.73, 0.5, 0.9, FITTED),
  jitter: parameter(0.2, 0.05, 0.4, "assumed: so that workers do not fall into step"),
  snoopShare: parameter(0.38, 0.2, 0.5, FITTED),
  upgradeShare: parameter(0.15, 0.1, 0.25, FITTED),
  invalidation: parameter(
    2,
    0.5,
    10,
    `${NOT_PUBLISHED}. With sharedRead at most 21 ns for each further core: a handover of a ticket lock took 170 ns with 4 threads and 428 ns with 16 (${DOWNS}, results/g2-16)`,
  ),
  hold: parameter(14.1, 10, 18, FITTED),
  readHold: parameter(1.5, 0.7, 3, FITTED),
  nearestFirst: parameter(0.2, 0, 1, NOT_PUBLISHED),
  sharedRead: parameter(3, 1, 11, `${NOT_PUBLISHED}. See invalidation`),
} satisfies Partial<Record<CostName, Parameter>>;

/**
 * Handovers in ns: the 5th percentile, the median and the 95th, over all pairs of hardware threads of two cores at that
 * distance. The tables have a value for each pair.
 */
type Handovers = readonly [p5: number, median: number, p95: number];

/**
 * Both cores compare and exchange all the time, so the other one's request is there before the line may go on. In the
 * model such a handover is what remains of a travel after the former owner has lost the line, and a hold.
 */
function travel([p5, median, p95]: Handovers, source: string): Parameter {
  const { snoopShare, hold } = LINE_COSTS;
  const of = (handoverNs: number, heldNs: number) =>
    Math.max(LEAST_TRAVEL_NS, Math.round((10 * (handoverNs - heldNs)) / (1 - snoopShare.value)) / 10);
  return {
    value: of(median, hold.value),
    low: of(p5, hold.value),
    high: of(p95, hold.low),
    source: `${source}: one handover took ${median} ns in the median, ${p5} to ${p95} ns from the 5th to the 95th percentile`,
  };
}
/** A line cannot come from another core sooner than from the cache of its own. */
const LEAST_TRAVEL_NS = 10;

function parameter(value: number, low: number, high: number, source: string): Parameter {
  return { value, low, high, source };
}

const DOZING =
  "assumed, with sleep: futex-three-state loses 3.1 us of processor time for each park and sleeps 0.8 us of it (short-section of locks, two workers), far less than is measured once a core has idled";

/** Of V8, Node and Linux rather than of the processor. */
const RUNTIME_COSTS = {
  plain: parameter(
    0.15,
    0.1,
    0.47,
    "a critical section of 256 plain accesses takes 33 ns (short-section and empty-section of locks, one worker); accesses that wait for each other take 0.47 ns each (measured)",
  ),
  poll: parameter(
    0.5,
    0.3,
    1,
    "a worker that waited for a ticket lock polled 282 times in about 150 ns: short-section of locks, two workers",
  ),
  load: parameter(0.5, 0.3, 4.9, "as a poll; Atomics.load as V8 compiles it takes 4.9 ns (measured)"),
  sleep: parameter(890, 600, 1_400, FITTED),
  notify: parameter(8, 2, 20, `${MEASURED}: with waiterList 22 ns`),
  doze: parameter(4_000, 2_000, 10_000, DOZING),
  wakeCallSoon: parameter(1_000, 500, 2_000, DOZING),
  wakeSoon: parameter(1_500, 750, 3_000, DOZING),
  wakeCall: parameter(7_000, 2_000, 11_600, MEASURED),
  wake: parameter(
    10_300,
    4_000,
    32_500,
    `${MEASURED}: 10.3 us after a sleep of 5 us, 22 us after 0.1 ms, 33 us after 2 ms`,
  ),
  waiterList: parameter(
    14,
    7,
    45,
    `${MEASURED}: with notify 22 ns, and at most 43 ns where two threads want it. ${V8_WAITERS}`,
  ),
  pause: parameter(26, 25, 27, MEASURED),
  quantum: parameter(4e6, 1.4e6, 8e6, `${MEASURED}. ${LINUX_SLICE}`),
  switching: parameter(
    2_000,
    700,
    20_000,
    `${NOT_PUBLISHED}; 20 us were measured from one thread to another that was woken. At most 9 us by lmbench: multicore-locks/litl, src/waiting_policy.h`,
  ),
} satisfies Partial<Record<CostName, Parameter>>;

/** Those of the machine that measured, for another one: as good a guess as any, so the ranges are twice as wide. */
function assumed<Name extends CostName>(costs: Readonly<Record<Name, Parameter>>): Record<Name, Parameter> {
  const names = Object.keys(costs) as Name[];
  const wider = (name: Name): Parameter => {
    const { value, low, high } = costs[name];
    const most = SHARES.has(name) ? Math.min(high * 2, 1) : high * 2;
    return { value, low: low / 2, high: most, source: `${NOT_PUBLISHED} as on the machine that measured` };
  };
  return Object.fromEntries(names.map((name) => [name, wider(name)])) as Record<Name, Parameter>;
}
const SHARES: ReadonlySet<CostName> = new Set([
  "copyShare",
  "jitter",
  "snoopShare",
  "upgradeShare",
  "nearestFirst",
]);

/** The machine of the published records. Its model is checked against what was measured on it. */
export const HERE: Machine = {
  name: "here",
  title: "AMD EPYC (family 26, model 2), a virtual machine of two cores",
  sockets: 1,
  complexesPerSocket: 1,
  coresPerComplex: 2,
  costs: {
    ...RUNTIME_COSTS,
    ...LINE_COSTS,
    store: parameter(4.7, 3, 8.2, UPDATE_HERE),
    update: parameter(4.7, 3, 8.2, UPDATE_HERE),
    travelInComplex: parameter(49.5, 35, 60, FITTED),
    travelInSocket: parameter(49.5, 35, 60, NO_SUCH_PAIR),
    travelBetweenSockets: parameter(49.5, 35, 60, NO_SUCH_PAIR),
  },
};

const MILAN_UPDATE_NS = 5;
const MILAN_CSV = `${HANDOVERS}, results/AMD EPYC 7773X.csv`;
const DUAL_MILAN_CSV = `${HANDOVERS}, results/AMD EPYC 7R13 48-Core Processor.csv`;
const acrossComplexes = travel([97.5, 116.6, 130.4], MILAN_CSV);

/** Complexes of 8 cores that share a cache; every other line goes by the die in the middle. */
export const MILAN_X: Machine = {
  name: "epyc-milan-x",
  title: "AMD EPYC 7773X (Milan-X, 2022), two sockets of 64 cores in complexes of 8",
  sockets: 2,
  complexesPerSocket: 8,
  coresPerComplex: 8,
  costs: {
    ...assumed(RUNTIME_COSTS),
    ...assumed(LINE_COSTS),
    store: parameter(
      MILAN_UPDATE_NS,
      2,
      10.1,
      `${NOT_PUBLISHED} to be a read-modify-write, as x86 compiles it`,
    ),
    update: parameter(
      MILAN_UPDATE_NS,
      2,
      10.1,
      `${NOT_PUBLISHED} as on the machine that measured; at most a handover between two threads of one core, 10.1 ns: ${MILAN_CSV}`,
    ),
    travelInComplex: travel([22.0, 26.1, 29.2], MILAN_CSV),
    travelInSocket: {
      ...acrossComplexes,
      high: travel([200.5, 200.5, 200.5], "").high,
      source: `${acrossComplexes.source}. Within the second of two sockets a handover took 200.5 ns in the median, for no known reason: ${DUAL_MILAN_CSV}. The range reaches that far`,
    },
    travelBetweenSockets: travel(
      [186.1, 197.2, 205.2],
      `${DUAL_MILAN_CSV}, two sockets of the same generation`,
    ),
  },
};

const ICE_LAKE_UPDATE_NS = 6.1;
const ICE_LAKE_CSV = `${HANDOVERS}, results/Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz.csv`;
const acrossTheMesh = travel([44.7, 51.3, 57.9], ICE_LAKE_CSV);

/** A mesh: all cores of a socket share the last cache, and are about equally far from one another. */
export const ICE_LAKE: Machine = {
  name: "xeon-ice-lake",
  title: "Intel Xeon Platinum 8375C (Ice Lake, 2021), two sockets of 32 cores in a mesh",
  sockets: 2,
  complexesPerSocket: 1,
  coresPerComplex: 32,
  costs: {
    ...assumed(RUNTIME_COSTS),
    ...assumed(LINE_COSTS),
    store: parameter(
      ICE_LAKE_UPDATE_NS,
      4,
      9,
      `${NOT_PUBLISHED} to be a read-modify-write, as x86 compiles it`,
    ),
    update: parameter(
      ICE_LAKE_UPDATE_NS,
      5,
      9,
      `${DOWNS}, results/icl/combined.csv: "atomic add", one core, an Ice Lake of four cores`,
    ),
    travelInComplex: acrossTheMesh,
    travelInSocket: { ...acrossTheMesh, source: NO_SUCH_PAIR },
    travelBetweenSockets: travel([102.2, 107.8, 113.3], ICE_LAKE_CSV),
  },
};

/** The one that measured comes first. */
export const MACHINES: readonly Machine[] = [HERE, MILAN_X, ICE_LAKE];
