import type { CostName, Machine, Parameter } from "./machine.ts";

/**
 * The machines that are simulated: the one that measured the published records, and two servers on which others
 * measured how long a line takes from core to core.
 *
 * Those measurements let two cores change one word by compare-exchange in turn, and give half of a round trip. This is
 * one handover: a line travels, and one compare-exchange follows. `travel` takes the compare-exchange off again.
 *
 * Both servers are x86 processors, where a read-modify-write always brings the line to its core. Arm's processors may
 * send the operation to the line instead: 16 cores of a Graviton 2 add to one word every 9 ns, while a line takes 47 ns
 * from core to core there. Such a machine needs another model than that of lines that travel.
 */

/**
 * Handovers in ns: the 5th percentile, the median and the 95th, over all pairs of hardware threads of two cores at that
 * distance. The tables have a value for each pair.
 */
type Handovers = readonly [p5: number, median: number, p95: number];

/** The next request may be on its way before the line has come; how much so is not known. So `high` is a whole handover. */
function travel([p5, median, p95]: Handovers, updateNs: number, source: string): Parameter {
  const tenths = (ns: number) => Math.round(ns * 10) / 10;
  return {
    value: tenths(median - updateNs),
    low: tenths(p5 - updateNs),
    high: p95,
    source: `${source}: one handover took ${median} ns in the median, ${p5} to ${p95} ns from the 5th to the 95th percentile; less one read-modify-write of ${updateNs} ns`,
  };
}

function parameter(value: number, low: number, high: number, source: string): Parameter {
  return { value, low, high, source };
}

const HANDOVERS = "nviennot/core-to-core-latency at commit 96a943a (2023)";
const DOWNS =
  "travisdowns/concurrency-hierarchy-bench at commit 1b3f7f8 (2021), for T. Downs, A Concurrency Cost Hierarchy (2020)";
const V8_WAITERS =
  "One mutex guards all waiters of the process, and a woken thread takes it again: v8/v8 at commit 0ee5cf9, src/execution/futex-emulation.cc, GetWaitList, Wake and WaitSyncImpl";
const LINUX_SLICE =
  "Linux, kernel/sched/fair.c: a slice is 0.70 ms times 1 + log2 of the cores, of which at most 8 count; it is looked at when the timer ticks, every 4 ms at this kernel's 250 Hz";
const NOT_PUBLISHED = "not published: assumed";
const PROVISIONAL =
  "provisional, until measured on this machine with Node 24 by suites/lab/cores/measure-costs.ts";
const NO_SUCH_PAIR = "this machine has no such pair of cores, so it is never used";

/** Of V8, Node and Linux rather than of the processor. */
const RUNTIME_COSTS = {
  plain: parameter(0.3, 0.2, 1.5, PROVISIONAL),
  load: parameter(0.5, 0.3, 6, PROVISIONAL),
  sleep: parameter(3_000, 1_000, 10_000, PROVISIONAL),
  notify: parameter(50, 10, 200, PROVISIONAL),
  wakeCall: parameter(2_000, 500, 12_000, PROVISIONAL),
  wake: parameter(20_000, 4_000, 60_000, PROVISIONAL),
  waiterList: parameter(40, 10, 300, `${PROVISIONAL}. ${V8_WAITERS}`),
  pause: parameter(20, 5, 80, PROVISIONAL),
  quantum: parameter(4e6, 1.4e6, 8e6, `${PROVISIONAL}. ${LINUX_SLICE}`),
  switching: parameter(
    2_000,
    700,
    9_000,
    `${PROVISIONAL}. At most the 9 us that multicore-locks/litl measured with lmbench: src/waiting_policy.h`,
  ),
} satisfies Partial<Record<CostName, Parameter>>;

/** How lines are handed on in detail. */
const LINE_COSTS = {
  snoopShare: parameter(0.5, 0.2, 1, NOT_PUBLISHED),
  upgradeShare: parameter(0.4, 0.1, 1, NOT_PUBLISHED),
  invalidation: parameter(
    2,
    0.5,
    10,
    `${NOT_PUBLISHED}. With sharedRead at most 21 ns for each further core: a handover of a ticket lock took 170 ns with 4 threads and 428 ns with 16 (${DOWNS}, results/g2-16)`,
  ),
  hold: parameter(5, 2, 60, NOT_PUBLISHED),
  readHold: parameter(5, 1, 20, NOT_PUBLISHED),
  sharedRead: parameter(3, 1, 11, `${NOT_PUBLISHED}. See invalidation`),
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
const SHARES: ReadonlySet<CostName> = new Set(["snoopShare", "upgradeShare"]);

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
    store: parameter(5, 2, 10, PROVISIONAL),
    update: parameter(5, 2, 10, PROVISIONAL),
    travelInComplex: parameter(
      18.5,
      15,
      25,
      "fitted: the only number that the first model needed for what a pick costs at two workers",
    ),
    travelInSocket: parameter(18.5, 15, 25, NO_SUCH_PAIR),
    travelBetweenSockets: parameter(18.5, 15, 25, NO_SUCH_PAIR),
  },
};

const MILAN_UPDATE_NS = 5;
const MILAN_CSV = `${HANDOVERS}, results/AMD EPYC 7773X.csv`;
const DUAL_MILAN_CSV = `${HANDOVERS}, results/AMD EPYC 7R13 48-Core Processor.csv`;
const acrossComplexes = travel([97.5, 116.6, 130.4], MILAN_UPDATE_NS, MILAN_CSV);

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
    travelInComplex: travel([22.0, 26.1, 29.2], MILAN_UPDATE_NS, MILAN_CSV),
    travelInSocket: {
      ...acrossComplexes,
      high: 200.5,
      source: `${acrossComplexes.source}. Within the second of two sockets a handover took 200.5 ns in the median, for no known reason: ${DUAL_MILAN_CSV}. The range reaches that far`,
    },
    travelBetweenSockets: travel(
      [186.1, 197.2, 205.2],
      MILAN_UPDATE_NS,
      `${DUAL_MILAN_CSV}, two sockets of the same generation`,
    ),
  },
};

const ICE_LAKE_UPDATE_NS = 6.1;
const ICE_LAKE_CSV = `${HANDOVERS}, results/Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz.csv`;
const acrossTheMesh = travel([44.7, 51.3, 57.9], ICE_LAKE_UPDATE_NS, ICE_LAKE_CSV);

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
    travelBetweenSockets: travel([102.2, 107.8, 113.3], ICE_LAKE_UPDATE_NS, ICE_LAKE_CSV),
  },
};

/** The one that measured comes first. */
export const MACHINES: readonly Machine[] = [HERE, MILAN_X, ICE_LAKE];
