import type { Contract } from "../shared/contract.ts";
import { assertUsable } from "../shared/instance.ts";
import { type Allocation, allocateFor, type LinearMemory, type Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * Who owned a resource at an instant. Two kinds of structure answer, from two kinds of news:
 *
 * Claims say "owner o held resource r from start until end". A point of a resource's time is unclaimed, claimed by one
 * owner, or claimed by several, and under the rule `evidence` a claim only ever moves it along that line; so the state
 * is a function of the set of claims, and loss aside, no order, delay or repetition of claims changes an answer. A wrong
 * owner is never acceptable, no owner is. The other rules for claims are policies that answer more and may be wrong:
 * they race to show what that costs.
 *
 * Changes say "from now on r belongs to o", or to nobody. An answer rests on all changes before it, so what is lost or
 * late may falsify it.
 *
 * Ranges are half-open, [start, end), in integer milliseconds from an origin of the caller's choice, the epoch as a
 * rule. Resources and owners are dense small integers, interned by the caller (shared/interner.ts).
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and uses its
 * own handle. The watermark starts at 0, which ownership.instance.ts raises to where the first claim of the present can
 * be made: a structure has room for claims of its window past the watermark only. One worker at a time claims and
 * trims, any number look up. All that a shared structure knows is in its words, so that while the others rest another
 * worker may take over as the one that claims. A structure of no words is private: each worker's replica knows only
 * what it has heard through that worker's own handle.
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
  /** Ranges up to which it races, where more would take minutes to fill in; any number if absent. */
  readonly mostRanges?: number;
  /**
   * Size of the structure in int32 words; 0 if each worker keeps a private replica. Throws a RangeError for a window that
   * is longer than its arithmetic, and for more of anything than it can have.
   */
  words(capacity: Capacity): number;
  format(memory: Region, capacity: Capacity): void;
}

/**
 * What a point that claims cover belongs to. `evidence`: to the only owner that claims it; to none if several do.
 * `first-claim`, `last-claim`: to the owner whose claim of it was heard first, or last. `trailing`: a claim of the
 * owner last heard of prolongs that owner's range, whatever lies between; one of another owner begins a range where the
 * last one ended, or later, and is dropped if it ends by then.
 */
export type ClaimsRule = "evidence" | "first-claim" | "last-claim" | "trailing";

/**
 * Which change counts at a point. `event-time`: the last one that happened, wherever it came in the order of arrival.
 * `arrival`: the last one that had arrived. `holdback`: a change waits until it is HOLDBACK_MS old, by the clock of
 * arrivals, and those due are entered in the order of happening; one that arrives later than that takes effect where
 * the log of its resource then ends.
 */
export type ChangesRule = "event-time" | "arrival" | "holdback";

/** How long a log with a holdback waits for changes that happened earlier and arrive later. */
export const HOLDBACK_MS = 60_000;

/** What one instance must have room for, integers from 1. A structure that is not bounded in one of these ignores it. */
export interface Capacity {
  /** Resources are 0 .. resources - 1; at most 2^31 - 1 of them. */
  readonly resources: number;
  /** Owners are 0 .. owners - 1; at most 2^31 - 1 of them, so that owner + 1 is an int32. */
  readonly owners: number;
  /** Milliseconds past the watermark that claims may reach. */
  readonly windowMs: number;
  /**
   * Ranges that all resources have at most, together: stretches of time that one owner claims without a gap, where
   * CONFLICT, as a peer's word, counts as an owner; at most 2^31 - 1. What is rebuilt from an export needs room for all claims
   * exported.
   */
  readonly ranges: number;
}

/** What every handle does. Not to be passed to another thread. */
export interface Attribution {
  /**
   * The owner at the millisecond `t`, or NO_EVIDENCE, or CONFLICT. Where nothing is known of `t` itself, but the same
   * owner holds the resource before and after, with no more than `toleranceMs` between the two ranges, the answer is
   * `inferred(owner)`; a structure that hears changes knows no gaps and infers nothing. No tolerance if absent.
   *
   * A fraction belongs to its millisecond; what is no time (NaN, infinite, negative) has no evidence. Throws a
   * RangeError if `resource` is outside the capacity. A lookup that runs beside a claim or a trim sees each millisecond
   * before or after it.
   */
  ownerAt(resource: number, t: number, toleranceMs?: number): number;
  /**
   * Forgets everything before `watermark`: earlier points answer NO_EVIDENCE from now on, later ones are untouched.
   * What was known before it is no reason to infer anything after it. A watermark at or below the highest so far
   * changes nothing. Throws a RangeError and changes nothing as `claim` does for a time.
   */
  trim(watermark: number): void;
  /** Size of what it keeps in typed arrays, in bytes; absent where it lives in objects, which only a survey can size. */
  bytes?(): number;
}

export interface Ownership extends Attribution {
  /**
   * Adds a claim and returns true, or returns false where all of [start, end) lies before the watermark and is
   * forgotten already. Under the rule `evidence` the owner may be CONFLICT: the word of a peer that several have claimed
   * this. Throws a RangeError and changes nothing if `resource` or `owner` is outside the capacity, a time is not an
   * integer from 0 to 2^53 - 1, end <= start, or a bounded structure has no room.
   */
  claim(resource: number, owner: number, start: number, end: number): boolean;
  /**
   * Everything that is known of a resource from the watermark on: stretches with one answer (an owner or CONFLICT),
   * sorted, disjoint, and no two of one owner touching. Not beside a claim. Throws a RangeError if `resource` is
   * outside the capacity.
   */
  rangesOf(resource: number): Range[];
}

export interface ChangeLog extends Attribution {
  /**
   * From `at` on, `resource` belongs to `owner`, or to NOBODY; heard at `arrivedAt`, which never goes back. Returns
   * false where the rule already knows better. Throws a RangeError and changes nothing as `claim` does.
   */
  change(resource: number, owner: number, at: number, arrivedAt: number): boolean;
}

/** A stretch of time with one answer, [start, end) in ms. */
export interface Range {
  start: number;
  end: number;
  owner: number;
}

/** Unattributed: nobody claims the point, or it is before the watermark. */
export const NO_EVIDENCE = -1;
/** Unattributed: more than one owner claims the point. */
export const CONFLICT = -2;
/** Owner of what a change sets free. */
export const NOBODY = NO_EVIDENCE;

/** The answer that `owner` had it before and after, and so probably in between. */
export function inferred(owner: number): number {
  return FIRST_INFERRED - owner;
}

/** The owner in an answer, inferred or not; NO_EVIDENCE or CONFLICT as they are. */
export function attributed(answer: number): number {
  return isInferred(answer) ? FIRST_INFERRED - answer : answer;
}

export function isInferred(answer: number): boolean {
  return answer <= FIRST_INFERRED;
}

const FIRST_INFERRED = -3;

/** The checks every `claim` of a policy starts with; throws the RangeErrors it promises. */
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

/** The same where the rule is `evidence`, which takes a peer's word that several have claimed a stretch. */
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

/** Throws a RangeError for a capacity that is outside its ranges, or lacks one. */
export function assertCapacity(capacity: Capacity): void {
  for (const [name, most] of [
    ["resources", MOST_COUNTED],
    ["owners", MOST_COUNTED],
    ["windowMs", Number.MAX_SAFE_INTEGER],
    ["ranges", MOST_COUNTED],
  ] as const) {
    const count = capacity?.[name];
    if (!(Number.isSafeInteger(count) && count >= 1 && count <= most))
      throw new RangeError(`${name} ${count} of the capacity is not an integer in 1 .. ${most}`);
  }
}

/** So that a count, and the number after it, is an int32. */
const MOST_COUNTED = 2 ** 31 - 1;

/** The memory of a new structure, for workers to attach to. Throws a RangeError for a capacity that it cannot have. */
export function formatted(competitor: OwnershipCompetitor, capacity: Capacity): Allocation {
  assertUsable(competitor);
  assertCapacity(capacity);
  const allocation = allocateFor(competitor, competitor.words(capacity));
  competitor.format(allocation.memory, capacity);
  return allocation;
}

/** In ms: half a window before the present, so that what has just happened can be claimed, and what will soon. */
export function firstKept({ windowMs }: Capacity): number {
  return Math.max(0, Date.now() - Math.floor(windowMs / 2));
}

/**
 * A structure for the one thread that calls this: formatted, attached to, and trimmed to `since`, in ms, half a window
 * before the present unless told. Throws a RangeError for a capacity that it cannot have.
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
const CHANGES_RULES = { "event-time": true, arrival: true, holdback: true } as const satisfies Record<
  ChangesRule,
  true
>;

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
