import { assertInteger } from "../shared/arguments.ts";
import type { Contract } from "../shared/contract.ts";
import { assertUsable, type Kind } from "../shared/instance.ts";
import { type Allocation, allocateFor, type LinearMemory, type Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * Which owner held a resource at a given instant? Two kinds of structure answer, from two kinds of input:
 *
 * Claims say "owner o held resource r from start until end". A point of a resource's time is unclaimed, claimed by
 * one owner, or claimed by several. Under the rule `evidence` a claim only ever moves a point forward along that
 * line. The state is therefore a function of the set of claims: apart from loss, no order, delay or repetition of
 * claims changes an answer. A wrong owner is never acceptable; an answer without an owner is. The other rules for
 * claims are policies that answer more often and may be wrong. They race to show what that costs.
 *
 * Changes say "from now on r belongs to o", or has no owner. An answer depends on all changes before it, so a lost or
 * late change may make it wrong.
 *
 * Ranges are half-open, [start, end), in integer milliseconds from an origin of the caller's choice, usually the
 * epoch. Resources and owners are dense small integers, interned by the caller (shared/interner.ts).
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and
 * uses a handle of its own. The watermark starts at 0, and a structure has room only for claims of its window past the
 * watermark. So ownership.instance.ts raises the watermark to where the first present claim can be made. One worker at
 * a time claims and trims. Any number of workers look up. A shared structure keeps all its state in its words. So
 * another worker may take over as the one that claims, while the others rest. A structure of no words is private: each
 * worker's replica knows only what came through that worker's own handle.
 */
export type OwnershipCompetitor = ClaimsCompetitor | ChangesCompetitor;

export interface ClaimsCompetitor extends Shared {
  readonly hears: "claims";
  readonly rule: ClaimsRule;
  attach(memory: Region, capacity: Capacity, worker: WorkerIdentity, linear?: LinearMemory): Ownership;
}

export interface ChangesCompetitor extends Shared {
  readonly hears: "changes";
  readonly rule: ChangesRule;
  attach(memory: Region, capacity: Capacity, worker: WorkerIdentity, linear?: LinearMemory): ChangeLog;
}

interface Shared extends Traits {
  /** The number of ranges up to which it races: more would take minutes to fill in. Absent: no limit. */
  readonly mostRanges?: number;
  /**
   * Size of the structure in int32 words; 0 if each worker keeps a private replica. Throws a RangeError for a window
   * longer than its arithmetic can hold, and for a count larger than it can hold.
   */
  words(capacity: Capacity): number;
  format(memory: Region, capacity: Capacity): void;
}

/**
 * Which owner a claimed point belongs to. `evidence`: the only owner that claims it, or none if several do.
 * `first-claim`, `last-claim`: the owner whose claim of it arrived first, or last. `trailing`: a claim by the owner
 * of the last claim extends that owner's range, whatever lies between. A claim by another owner begins a range where
 * the last one ended, or later. It is dropped if it ends by then.
 */
export type ClaimsRule = "evidence" | "first-claim" | "last-claim" | "trailing";

/**
 * Which change counts at a point. `event-time`: the last one that happened, regardless of the order of arrival.
 * `arrival`: the last one that had arrived.
 */
export type ChangesRule = "event-time" | "arrival";

/** The sizes that one instance must have room for, integers from 1. A structure without such a bound ignores it. */
export interface Capacity {
  /** Resources are 0 .. resources - 1; at most 2^31 - 1 of them. */
  readonly resources: number;
  /** Owners are 0 .. owners - 1; at most 2^31 - 1 of them, so that owner + 1 is an int32. */
  readonly owners: number;
  /** Milliseconds past the watermark that claims may reach. */
  readonly windowMs: number;
  /**
   * The most ranges of all resources together, at most 2^31 - 1. A range is a stretch of time that one owner claims
   * without a gap; CONFLICT, as reported by a peer, counts as an owner. A structure rebuilt from an export needs room
   * for all claims in it.
   */
  readonly ranges: number;
}

/** The methods of every handle. Not to be passed to another thread. */
export interface Attribution {
  /**
   * The owner at the millisecond `t`, or NO_EVIDENCE, or CONFLICT. Where nothing is known of `t` itself, the owner
   * may be inferred. If the same owner holds the resource before and after, with at most `toleranceMs` between the
   * two ranges, the answer is `inferred(owner)`. A structure that hears changes has no gaps and infers nothing. The
   * default tolerance is 0.
   *
   * A fraction belongs to its millisecond. A value that is no time (NaN, infinite, negative) has no evidence. Throws
   * a RangeError if `resource` is outside the capacity. A lookup that runs beside a claim or a trim sees each
   * millisecond before or after it.
   */
  ownerAt(resource: number, t: number, toleranceMs?: number): number;
  /**
   * Forgets everything before `watermark`: earlier points answer NO_EVIDENCE from now on, later ones are unchanged.
   * Nothing after it is inferred from what was known before it. A watermark at or below the highest so far changes
   * nothing. Throws a RangeError for an invalid time, as `claim` does, and then changes nothing.
   */
  trim(watermark: number): void;
  /** Size of its typed arrays, in bytes. Absent where its data live in objects, which only a heap survey can size. */
  bytes?(): number;
}

export interface Ownership extends Attribution {
  /**
   * Adds a claim and returns true. Returns false where all of [start, end) lies before the watermark and is already
   * forgotten. Under the rule `evidence` the owner may be CONFLICT, with which a peer reports that several owners
   * have claimed this. Throws a RangeError and changes nothing if `resource` or `owner` is outside the capacity, a time
   * is not an integer from 0 to 2^53 - 1, or end <= start. The same holds where a bounded structure has no room.
   */
  claim(resource: number, owner: number, start: number, end: number): boolean;
  /**
   * Everything known of a resource from the watermark on: stretches with one answer (an owner or CONFLICT). They are
   * sorted and disjoint, and no two of one owner touch. Must not run beside a claim. Throws a RangeError if
   * `resource` is outside the capacity.
   */
  rangesOf(resource: number): Range[];
}

export interface ChangeLog extends Attribution {
  /**
   * From `at` on, `resource` belongs to `owner`, or to NOBODY. `arrivedAt` is when the change arrived and never
   * decreases. Returns false where the rule ignores the change. Throws a RangeError in the cases in which `claim`
   * does, and then changes nothing.
   */
  change(resource: number, owner: number, at: number, arrivedAt: number): boolean;
}

/** A stretch of time with one answer, [start, end) in ms. */
export interface Range {
  start: number;
  end: number;
  owner: number;
}

/** Unattributed: no owner claims the point, or it is before the watermark. */
export const NO_EVIDENCE = -1;
/** Unattributed: more than one owner claims the point. */
export const CONFLICT = -2;
/** The owner of a resource that a change sets free. */
export const NOBODY = NO_EVIDENCE;

/** The answer when `owner` held it before and after, and so probably in between. */
export function inferred(owner: number): number {
  return FIRST_INFERRED - owner;
}

/** The owner in an answer, inferred or not. NO_EVIDENCE and CONFLICT are returned as they are. */
export function attributed(answer: number): number {
  return isInferred(answer) ? FIRST_INFERRED - answer : answer;
}

export function isInferred(answer: number): boolean {
  return answer <= FIRST_INFERRED;
}

const FIRST_INFERRED = -3;

/** The checks that every `claim` of a policy starts with. Throws the RangeErrors that it promises. */
export function assertClaim(
  capacity: Capacity,
  resource: number,
  owner: number,
  start: number,
  end: number,
): void {
  assertResource(capacity, resource);
  if (!(Number.isInteger(owner) && owner >= 0 && owner < capacity.owners))
    throw new RangeError(`owner ${owner} is not an integer in 0 .. ${capacity.owners - 1}`);
  assertTime("start", start);
  assertTime("end", end);
  if (end <= start) throw new RangeError(`claim [${start}, ${end}) is empty: end must be after start`);
}

/** The same for the rule `evidence`, which also accepts CONFLICT, a peer's report of several owners. */
export function assertEvidence(
  capacity: Capacity,
  resource: number,
  owner: number,
  start: number,
  end: number,
): void {
  assertClaim(capacity, resource, owner === CONFLICT ? 0 : owner, start, end);
}

export function assertResource(capacity: Capacity, resource: number): void {
  if (!(Number.isInteger(resource) && resource >= 0 && resource < capacity.resources))
    throw new RangeError(`resource ${resource} is not an integer in 0 .. ${capacity.resources - 1}`);
}

export function assertTime(name: string, ms: number): void {
  if (!(Number.isSafeInteger(ms) && ms >= 0))
    throw new RangeError(`${name} ${ms} is not a time: an integer of milliseconds from 0 to 2^53 - 1`);
}

/** Throws a RangeError for a capacity that lacks a size or has one out of range. */
export function assertCapacity(capacity: Capacity): void {
  for (const [name, most] of [
    ["resources", MOST_COUNTED],
    ["owners", MOST_COUNTED],
    ["windowMs", Number.MAX_SAFE_INTEGER],
    ["ranges", MOST_COUNTED],
  ] as const) {
    const count = capacity?.[name];
    assertInteger(name, count, 1, most);
  }
}

/** A count, and the number after it, then fit an int32. */
export const MOST_COUNTED = 2 ** 31 - 1;

/** What a door that takes an ownership map is given. */
export const MAP: Kind = {
  what: "ownership map",
  module: "hotpath-lab/ownership/sorted-arrays",
  mark: "hears",
};

/** The memory of a new structure, for workers to attach to. Throws a RangeError for a capacity that it cannot have. */
export function formatted(competitor: OwnershipCompetitor, capacity: Capacity): Allocation {
  assertUsable(competitor, MAP);
  assertCapacity(capacity);
  const allocation = allocateFor(competitor, competitor.words(capacity));
  competitor.format(allocation.memory, capacity);
  return allocation;
}

/** In ms, half a window before the present: both what has just happened and what is about to can be claimed. */
export function firstKept({ windowMs }: Capacity): number {
  return Math.max(0, Date.now() - Math.floor(windowMs / 2));
}

/**
 * A structure for the calling thread alone: formatted, attached to, and trimmed to `since`. `since` is in ms and
 * defaults to half a window before the present. Throws a RangeError for a capacity that it cannot have.
 */
export function privateOwnership(
  competitor: ClaimsCompetitor,
  capacity: Capacity,
  since?: number,
): Ownership {
  const { memory, linear } = formatted(competitor, capacity);
  const worker = { index: 0, workers: 1, role: "worker", seed: 0 };
  const ownership = competitor.attach(memory, capacity, worker, linear);
  ownership.trim(since ?? firstKept(capacity));
  return ownership;
}

const SHELF_CAPACITY: Capacity = { resources: 1000, owners: 1000, windowMs: 60_000, ranges: 4000 };

const CLAIMS_RULES = {
  evidence: true,
  "first-claim": true,
  "last-claim": true,
  trailing: true,
} as const satisfies Record<ClaimsRule, true>;
const CHANGES_RULES = { "event-time": true, arrival: true } as const satisfies Record<ChangesRule, true>;

export const contract = {
  question: "How fast are claims and lookups in a map of past owners that never blames the wrong one?",
  oracle: "dense-timeline",
  fields: {
    hears: { claims: true, changes: true },
    rule: { ...CLAIMS_RULES, ...CHANGES_RULES },
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { mostRanges: "number" },
  contradiction({ hears, rule }) {
    const rules = Object.keys(hears === "claims" ? CLAIMS_RULES : CHANGES_RULES);
    return rules.includes(rule)
      ? undefined
      : `rule "${rule}" is not for structures that hear ${hears}: give one of ${rules.join(", ")}`;
  },
  footprint(competitor) {
    const words = competitor.words(SHELF_CAPACITY);
    if (words === 0) return "private to each worker, on its heap";
    return `${words * Int32Array.BYTES_PER_ELEMENT} B for 1000 resources x 4 ranges in 60 s`;
  },
} satisfies Contract<OwnershipCompetitor>;
