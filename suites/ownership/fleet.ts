import { Random } from "../../structures/shared/sfc32.ts";

/**
 * A fleet whose addresses change hands, the flows between them, and what its agents report. Whatever goes wrong on the
 * way to the collector is not decided here. All scenarios of a size and seed have the same fleet, down to the last
 * flow, and ask the same questions. Times are integer milliseconds since the run began.
 *
 * The changes of hands are the fact sheet's. A mean ownership lasts 3 min, and half of the changes give an address back
 * to the owner before last. A few of the others do so by chance. All else is ours, and chosen in view of one figure of
 * that sheet. With 10 % of the claims lost, 2.2 % of the lookups have no answer in the end. It rests on how many flows
 * of an address cover an instant besides the one asked about, here 1.9 on average. 0.5 are short ones, and 1.4 long
 * ones, whose claims come later. With fewer, a lost claim leaves a hole that nothing fills. No other figure of the
 * sheet was aimed at. `someFleet` aims at none: shares that a claim rests on are taken from fleets of its making.
 */
export interface FleetPlan {
  readonly resources: number;
  readonly owners: number;
  /** Flows open from 0 to here. */
  readonly horizonMs: number;
  readonly ownershipMsMean: number;
  /** Share of flows that are long. */
  readonly longShare: number;
  /** Ends of flows that open at an address in a second: what it calls, and what calls it. 0.25 if absent. */
  readonly flowEndsPerSecond?: number;
}

export interface Fleet {
  readonly plan: FleetPlan;
  readonly spells: Spells;
  readonly ends: FlowEnds;
  /** owners x owners, symmetric: 1 where flows have joined the two, whichever of them called. */
  readonly joined: Uint8Array;
}

/** Times in which an owner holds a resource: resource after resource, and of each in the order of time. */
export interface Spells {
  readonly count: number;
  readonly resources: Int32Array;
  readonly owners: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /**
   * 1 where the owner before has the resource again afterwards, by plan or by chance: the B of A, B, A. Of A, B, A, B, A
   * all three in the middle are visits.
   */
  readonly visits: Uint8Array;
}

/** Both ends of each flow, side by side: the other end of `end` is `end ^ 1`. Each is a claim, and a question. */
export interface FlowEnds {
  readonly count: number;
  readonly spells: Int32Array;
  readonly resources: Int32Array;
  readonly owners: Int32Array;
  /** Of the flow. */
  readonly starts: Int32Array;
  readonly stops: Int32Array;
  /** When the agent of this end sends the batch in which it reports the flow. */
  readonly sentAt: Int32Array;
}

export const BATCH_MS = 60_000;
/** What a flow may last: beyond it an agent closes the flow and takes it for a new one. */
export const LONGEST_FLOW_MS = 300_000;

const FLOW_ENDS_PER_SECOND = 0.25;
/** Requests and short connections. */
const SHORT_FLOW_MS_MEAN = 2_000;
/** Pooled connections, by a Pareto law. */
const LONG_FLOW_MS_LEAST = 60_000;
const LONG_FLOW_SHAPE = 1.5;
export const COMMON_LONG_SHARE = 0.1;

const LEAST_OWNERSHIP_MS = 1_000;
/** An address is given out again soon after it came free, and one time in this many at once. */
const GAP_MS_MEAN = 2_000;
const AT_ONCE = 10;
/** Owners that an owner calls. Few, so that a wrong owner is nearly always a dependency that does not exist. */
const CALLED_OWNERS = 5;

/** Between which the plans of `someFleet` are drawn, every magnitude alike. No source says anything of them. */
const SOME = {
  /** From an address that hears of one flow in 20 s to one that hears of two in a second. */
  flowEndsPerSecond: [0.05, 2],
  /** From next to no pooled connections to half. */
  longShare: [0.02, 0.5],
  /** From batch jobs of a minute to services that are deployed twice in an hour. */
  ownershipMsMean: [60_000, 1_800_000],
} as const;

/** A fleet of the same size with nothing chosen. */
export function someFleet(plan: FleetPlan, seed: number): FleetPlan {
  const random = new Random(seed, PLANS_STREAM);
  const between = ([least, most]: readonly [number, number]) =>
    least * Math.exp(random.fraction() * Math.log(most / least));
  return {
    ...plan,
    flowEndsPerSecond: between(SOME.flowEndsPerSecond),
    longShare: between(SOME.longShare),
    ownershipMsMean: Math.round(between(SOME.ownershipMsMean)),
  };
}

/** Streams of one seed, so that what one of them draws moves no other. */
const SPELLS_STREAM = 1;
const FLOWS_STREAM = 2;
const AGENTS_STREAM = 3;
const PLANS_STREAM = 4;

export function drawFleet(plan: FleetPlan, seed: number): Fleet {
  const spells = drawSpells(plan, new Random(seed, SPELLS_STREAM));
  const joined = new Uint8Array(plan.owners * plan.owners);
  const flows = drawFlows(plan, spells, new Random(seed, FLOWS_STREAM));
  return { plan, spells, ends: endsOf(flows, plan, spells, joined, new Random(seed, AGENTS_STREAM)), joined };
}

function drawSpells(plan: FleetPlan, random: Random): Spells {
  const { resources, owners, horizonMs, ownershipMsMean } = plan;
  const drawn: { resource: number; owner: number; start: number; end: number; visit: boolean }[] = [];
  for (let resource = 0; resource < resources; resource++) {
    let beforeLast = -1;
    let last = -1;
    let start = random.below(GAP_MS_MEAN);
    while (start < horizonMs) {
      const returns = beforeLast !== -1 && random.below(2) === 0;
      let owner = returns ? beforeLast : random.below(owners);
      while (owner === last) owner = random.below(owners);
      if (owner === beforeLast) drawn.at(-1)!.visit = true;
      const end = start + Math.max(LEAST_OWNERSHIP_MS, Math.round(exponential(ownershipMsMean, random)));
      drawn.push({ resource, owner, start, end, visit: false });
      [beforeLast, last] = [last, owner];
      start = end + (random.below(AT_ONCE) === 0 ? 0 : Math.round(exponential(GAP_MS_MEAN, random)));
    }
  }
  return {
    count: drawn.length,
    resources: Int32Array.from(drawn, ({ resource }) => resource),
    owners: Int32Array.from(drawn, ({ owner }) => owner),
    starts: Int32Array.from(drawn, ({ start }) => start),
    ends: Int32Array.from(drawn, ({ end }) => end),
    visits: Uint8Array.from(drawn, ({ visit }) => (visit ? 1 : 0)),
  };
}

interface Flows {
  readonly count: number;
  /** Spells of the caller and of the called. */
  readonly callers: Int32Array;
  readonly called: Int32Array;
  readonly starts: Int32Array;
  readonly stops: Int32Array;
}

/**
 * Flows as they open, a Poisson process over the whole fleet. A call by an address without an owner, or to an owner
 * that holds none just then, is not made.
 */
function drawFlows(plan: FleetPlan, spells: Spells, random: Random): Flows {
  const { resources, owners, horizonMs, longShare, flowEndsPerSecond = FLOW_ENDS_PER_SECOND } = plan;
  const flowsPerMs = (resources * flowEndsPerSecond) / 2 / 1000;
  const expected = flowsPerMs * horizonMs;
  const room = Math.ceil(expected + 10 * Math.sqrt(expected) + 100);
  const callers = new Int32Array(room);
  const called = new Int32Array(room);
  const starts = new Int32Array(room);
  const stops = new Int32Array(room);
  const calls = Int32Array.from({ length: owners * CALLED_OWNERS }, (_, index) => {
    // Any owner but the one that calls.
    const owner = Math.floor(index / CALLED_OWNERS);
    return (owner + 1 + random.below(owners - 1)) % owners;
  });
  const holdings = new Holdings(plan, spells);
  let count = 0;
  for (let at = 0; ; ) {
    at += exponential(1 / flowsPerMs, random);
    const start = Math.floor(at);
    if (start >= horizonMs) break;
    holdings.advance(start);
    const lasting = drawFlowMs(longShare, random);
    const caller = holdings.spellOf[random.below(resources)]!;
    const call = random.below(CALLED_OWNERS);
    if (caller === -1) continue;
    const heldByCalled = holdings.spellsOf[calls[spells.owners[caller]! * CALLED_OWNERS + call]!]!;
    if (heldByCalled.length === 0) continue;
    const other = heldByCalled[random.below(heldByCalled.length)]!;
    callers[count] = caller;
    called[count] = other;
    starts[count] = start;
    // An owner that loses the address loses its flows.
    stops[count] = Math.min(start + lasting, spells.ends[caller]!, spells.ends[other]!);
    count++;
  }
  return { count, callers, called, starts, stops };
}

function drawFlowMs(longShare: number, random: Random): number {
  const isLong = random.fraction() < longShare;
  const lasting = isLong
    ? pareto(LONG_FLOW_MS_LEAST, LONG_FLOW_SHAPE, random)
    : exponential(SHORT_FLOW_MS_MEAN, random);
  return Math.max(1, Math.round(Math.min(lasting, LONGEST_FLOW_MS)));
}

/** Which owner holds which resource, as time goes by. */
class Holdings {
  /** The spell of each resource, -1 while it has no owner. */
  readonly spellOf: Int32Array;
  /** The spells that each owner has. */
  readonly spellsOf: readonly number[][];
  readonly #spells: Spells;
  /** Spells that end, then spells that begin: at the same instant the old owner goes first. */
  readonly #times: Int32Array;
  readonly #order: Int32Array;
  #next = 0;

  constructor({ resources, owners }: FleetPlan, spells: Spells) {
    this.spellOf = new Int32Array(resources).fill(-1);
    this.spellsOf = Array.from({ length: owners }, () => []);
    this.#spells = spells;
    this.#times = new Int32Array(2 * spells.count);
    this.#times.set(spells.ends);
    this.#times.set(spells.starts, spells.count);
    this.#order = inOrder(this.#times);
  }

  advance(now: number): void {
    const { count, resources, owners } = this.#spells;
    for (; this.#next < this.#order.length; this.#next++) {
      const event = this.#order[this.#next]!;
      if (this.#times[event]! > now) return;
      const spell = event % count;
      const held = this.spellsOf[owners[spell]!]!;
      if (event < count) {
        this.spellOf[resources[spell]!] = -1;
        held.splice(held.indexOf(spell), 1);
      } else {
        this.spellOf[resources[spell]!] = spell;
        held.push(spell);
      }
    }
  }
}

function endsOf(
  flows: Flows,
  { owners }: FleetPlan,
  spells: Spells,
  joined: Uint8Array,
  random: Random,
): FlowEnds {
  const count = 2 * flows.count;
  const ends: FlowEnds = {
    count,
    spells: new Int32Array(count),
    resources: new Int32Array(count),
    owners: new Int32Array(count),
    starts: new Int32Array(count),
    stops: new Int32Array(count),
    sentAt: new Int32Array(count),
  };
  // Each owner has an agent; no two need send at the same moment of the minute.
  const phases = Int32Array.from({ length: owners }, () => random.below(BATCH_MS));
  for (let end = 0; end < count; end++) {
    const flow = end >> 1;
    const spell = (end & 1) === 0 ? flows.callers[flow]! : flows.called[flow]!;
    const stop = flows.stops[flow]!;
    ends.spells[end] = spell;
    ends.resources[end] = spells.resources[spell]!;
    ends.owners[end] = spells.owners[spell]!;
    ends.starts[end] = flows.starts[flow]!;
    ends.stops[end] = stop;
    ends.sentAt[end] = stop + ((phases[spells.owners[spell]!]! - (stop % BATCH_MS) + BATCH_MS) % BATCH_MS);
  }
  for (let end = 0; end < count; end++) joined[ends.owners[end]! * owners + ends.owners[end ^ 1]!] = 1;
  return ends;
}

export function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random.fraction());
}

/** At least `least`; the smaller the shape, the longer the tail. */
export function pareto(least: number, shape: number, random: Random): number {
  return least * (1 - random.fraction()) ** (-1 / shape);
}

/** Indices of `times`, none below 0, from the earliest on; equal ones stay in their order. A counting sort. */
export function inOrder(times: Int32Array): Int32Array {
  const places = new Int32Array(times.reduce((latest, time) => Math.max(latest, time), 0) + 2);
  for (const time of times) places[time + 1]!++;
  for (let time = 1; time < places.length; time++) places[time]! += places[time - 1]!;
  const order = new Int32Array(times.length);
  for (let index = 0; index < times.length; index++) order[places[times[index]!]!++] = index;
  return order;
}
