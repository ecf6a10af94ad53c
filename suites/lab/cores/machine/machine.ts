import { Random } from "../../../../structures/shared/sfc32.ts";

/**
 * A machine that is simulated: its cores, and what an access costs there. Every cost has a range, because none is known
 * exactly. What a figure owes to them is seen by drawing all of them anew (`drawnCosts`).
 */
export interface Machine extends Topology {
  /** In file names and records: `epyc-milan`. */
  readonly name: string;
  /** As pages have it: "AMD EPYC 7R13, two sockets". */
  readonly title: string;
  readonly costs: Readonly<Record<CostName, Parameter>>;
}

export interface Topology {
  readonly sockets: number;
  readonly complexesPerSocket: number;
  /** Cores that share the nearest cache that is shared at all. Worker i runs on core i: complexes are filled one by one. */
  readonly coresPerComplex: number;
}

export interface Parameter {
  readonly value: number;
  /** Where it may lie, both included. */
  readonly low: number;
  readonly high: number;
  /** Paper, project or document, or how it was measured here. */
  readonly source: string;
}

/** Every cost in ns, but for those that say otherwise. */
export const COSTS = {
  plain: "a plain load or store of a line that the core has",
  poll: "a plain load of the word that was loaded just before",
  load: "an atomic load of a line that the core has",
  store: "an atomic store to a line that the core has alone",
  update: "a read-modify-write of a line that the core has alone",
  travelInComplex: "from the request to own a line to its arrival from a core of the same complex",
  travelInSocket: "the same from another complex of the socket",
  travelBetweenSockets: "the same from another socket",
  copyShare: "what it takes to get a copy instead, as a share of a travel",
  jitter:
    "by how much a travel and a stretch of local work are longer or shorter from time to time, as a share",
  snoopShare: "the share of a travel after which the former owner loses the line, 0 .. 1",
  upgradeShare: "what it takes to make a shared line one's own, as a share of a travel, 0 .. 1",
  invalidation: "for each further sharer that an upgrade has to reach",
  hold: "how long a line stays after it arrived for a read-modify-write or a store, before the next core gets it",
  readHold: "the same after it arrived for a load",
  nearestFirst:
    "how often the nearest of the cores that wait for a line gets it next, and not the first, 0 .. 1",
  sharedRead: "between two cores that get copies of the same line",
  sleep: "from a wait that has to sleep until it does",
  notify: "a notify that wakes nobody, or a wait that need not sleep, besides V8's list of waiters",
  doze: "how long a thread is asleep before its core idles",
  wakeCall: "what a notify takes longer for each thread it wakes from an idle core",
  wakeCallSoon: "the same for a thread that dozes, or is falling asleep",
  wake: "from the notify to the woken thread's next instruction, on a core that idled",
  wakeSoon: "the same of a thread that dozed, or was falling asleep",
  waiterList: "how long a wait or a notify has V8's only list of waiters to itself",
  pause: "one Atomics.pause",
  quantum: "how long a thread keeps its core while others want it",
  switching: "from one thread leaving a core to the next one running",
} as const satisfies Record<string, string>;

export type CostName = keyof typeof COSTS;
export type Costs = Readonly<Record<CostName, number>>;

export function nominalCosts({ costs }: Machine): Costs {
  return costsBy((name) => costs[name].value);
}

/** Each within its range, evenly on the logarithm; the same for the same `seed`, a uint32. */
export function drawnCosts({ costs }: Machine, seed: number): Costs {
  const random = new Random(seed);
  return costsBy((name) => {
    const { low, high } = costs[name];
    return low <= 0 ? low + (high - low) * random.fraction() : low * (high / low) ** random.fraction();
  });
}

function costsBy(costOf: (name: CostName) => number): Costs {
  const names = Object.keys(COSTS) as CostName[];
  return Object.fromEntries(names.map((name) => [name, costOf(name)])) as Record<CostName, number>;
}

export function coresOf({ sockets, complexesPerSocket, coresPerComplex }: Topology): number {
  return sockets * complexesPerSocket * coresPerComplex;
}
