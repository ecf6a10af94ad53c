import type { Claims } from "../shared/claims.ts";
import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Seat } from "../shared/seat.ts";

/**
 * Who owned a resource at an instant, told only from claims: "owner o held resource r from start until end".
 *
 * What counts is evidence. A point of a resource's time is unclaimed, claimed by one owner, or claimed by several, and
 * a claim only ever moves it along that line; so the state is a function of the set of claims, and loss aside, no
 * order, delay or repetition of claims changes an answer. A wrong owner is never acceptable, no owner is.
 *
 * Ranges are half-open, [start, end), in integer milliseconds from an origin of the caller's choice. Resources and
 * owners are dense small integers, interned by the caller.
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and uses
 * its own `Ownership`. One worker at a time claims and trims, any number look up. All that a shared structure knows is
 * in its words, so that while the others rest another worker may take over as the one that claims. A structure of no
 * words is private: each worker's replica knows only the claims made through that worker's own handle.
 */
export interface OwnershipCompetitor extends Claims {
  /** Size of the structure in int32 words; 0 if each worker keeps a private replica. */
  words(capacity: Capacity): number;
  format(memory: Region, capacity: Capacity): void;
  attach(memory: Region, capacity: Capacity, seat: Seat): Ownership;
}

/** What one instance must have room for. A structure that is not bounded in one of these ignores it. */
export interface Capacity {
  /** Resources are 0 .. resources - 1. */
  readonly resources: number;
  /** Owners are 0 .. owners - 1. */
  readonly owners: number;
  /** Milliseconds past the watermark that claims may reach, at least 1. */
  readonly windowMs: number;
  /** Ranges of kept time that one resource has at most: stretches in which the answer stays the same. */
  readonly rangesPerResource: number;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Ownership {
  /**
   * Adds evidence and returns true, or returns false where all of [start, end) lies before the watermark and is
   * forgotten already. Throws a RangeError and changes nothing if `resource` or `owner` is outside the capacity, a
   * time is not an integer from 0 to 2^53 - 1, end <= start, or a bounded structure has no room.
   */
  claim(resource: number, owner: number, start: number, end: number): boolean;
  /**
   * The one owner that claims the millisecond `t` (an integer), or NO_EVIDENCE, or CONFLICT. Throws a RangeError if
   * `resource` is outside the capacity. A lookup that runs beside a claim sees each millisecond before or after it.
   */
  ownerAt(resource: number, t: number): number;
  /**
   * Forgets all evidence before `watermark`: earlier points answer NO_EVIDENCE from now on, later ones are untouched.
   * A watermark at or below the highest so far changes nothing. Throws a RangeError as `claim` does for a time.
   */
  trim(watermark: number): void;
}

/** Unattributed: nobody claims the point, or it is before the watermark. */
export const NO_EVIDENCE = -1;
/** Unattributed: more than one owner claims the point. */
export const CONFLICT = -2;

/** The checks every `claim` starts with; throws the RangeErrors it promises. */
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

export function assertResource(capacity: Capacity, resource: number): void {
  if (!(Number.isInteger(resource) && resource >= 0 && resource < capacity.resources))
    throw new RangeError(`resource ${resource} is not an integer in 0 .. ${capacity.resources - 1}`);
}

export function assertTime(name: string, ms: number): void {
  if (!(Number.isSafeInteger(ms) && ms >= 0))
    throw new RangeError(`${name} ${ms} is not a time: an integer of milliseconds from 0 to 2^53 - 1`);
}

const SHELF_CAPACITY: Capacity = { resources: 1000, owners: 1000, windowMs: 60_000, rangesPerResource: 4 };

export const contract = {
  question:
    "How fast can claims build, and readers ask, a map of who owned what when that never blames the wrong owner?",
  oracle: "dense-timeline",
  fields: {
    summary: "string",
    source: "string",
    progress: "string",
    words: "function",
    format: "function",
    attach: "function",
  },
  footprint(competitor) {
    const words = competitor.words(SHELF_CAPACITY);
    if (words === 0) return "private to each worker, on its heap";
    return `${words * Int32Array.BYTES_PER_ELEMENT} B for 1000 resources x 4 ranges in 60 s`;
  },
} satisfies Contract<OwnershipCompetitor>;
