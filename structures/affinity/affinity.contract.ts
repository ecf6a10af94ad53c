import type { Key } from "../keyed/keyed.contract.ts";
import { assertInteger, shown } from "../shared/arguments.ts";
import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/**
 * Picks by key: a key goes to the same member as long as members are the same, and a change of members moves few keys. For
 * requests that find something warm where their like went before: a cache, a session, the prefix of a prompt.
 *
 * Life: every thread makes a handle of its own from the members, and makes another when they change. Threads that have the
 * same members agree on every key, and send each other nothing. So nothing is shared, and there is no interleaving to explore.
 */
export interface AffinityCompetitor extends Traits {
  /**
   * The placement whose keys go where the lab's naive version of it sends them, by the lab's own hashes: its examination
   * compares the two. `own`: another.
   */
  readonly placement: "rendezvous" | "ring" | "maglev" | "jump" | "modulo" | "own";
  /**
   * What places are bound to. `ids`: members may come, go and be listed in any order. `positions`: the place in the list, so
   * that members may come and go at its end alone.
   */
  readonly follows: "ids" | "positions";
  /** Whether members get keys in proportion to their weights. */
  readonly weighted: boolean;
  /** Members that it can serve. */
  readonly mostMembers: number;
  /**
   * Of all keys, the most that one more member, or one less, moves between members that stay. The least possible is 0: of
   * `members`, the larger number, the one that comes gets its own keys, and no key else moves.
   */
  surplus(members: number): number;
  /** By how much shares of the keys differ from the fair ones: their standard deviation, as a part of the fair share. */
  spread(members: number): number;
  /**
   * No member has more picks that are not released than this times the average, rounded up, as long as none is avoided.
   * Absent where keys alone decide. Where a member is at its bound, its keys go to the next in their order.
   */
  readonly bound?: number;
  /** Throws in one line for members that it cannot serve: see `assertMembers`. */
  create(members: readonly AffinityMember[]): Affinity;
}

export interface AffinityMember {
  /** The same in every thread, such as a URL, and no other member's. */
  readonly id: string;
  /** 1 .. 65,535; 1 if absent. */
  readonly weight?: number | undefined;
}

/** One thread's handle. Not to be passed to another thread. */
export interface Affinity {
  /**
   * The place in the list of the member that gets this key. With `avoid`, the first that it is false for, in an order that is
   * the key's own; NONE where it is true for all. Throws a TypeError for a key that is none.
   */
  pick(key: Key, avoid?: Avoid): number;
  /** Counts a request that went to this member by the caller's own choice. Present where there is a bound. */
  take?(member: number): void;
  /** A request that was picked or taken has ended; once for each. Present where there is a bound. */
  release?(member: number): void;
}

/** Whether a member may not be picked, by its place in the list. */
export type Avoid = (member: number) => boolean;

/** No member. */
export const NONE = -1;

/** Throws a RangeError for members that are none or too many, and for ids and weights that cannot be served. */
export function assertMembers(
  { weighted, mostMembers }: Pick<AffinityCompetitor, "weighted" | "mostMembers">,
  members: readonly AffinityMember[],
): void {
  assertInteger("members.length", members.length, 1, mostMembers);
  for (const { id, weight = 1 } of members) {
    if (typeof id !== "string") throw new TypeError(`id ${shown(id)} is not a string`);
    assertInteger(`weight of ${shown(id)}:`, weight, 1, MOST_WEIGHT);
    if (weight !== 1 && !weighted)
      throw new RangeError(`${shown(id)} has a weight, which this placement ignores: take rendezvous`);
  }
  if (new Set(members.map(({ id }) => id)).size < members.length)
    throw new RangeError("an id is there twice: give each member one of its own");
}

const MOST_WEIGHT = 65_535;

export const contract = {
  question: "Which member gets the requests of one key, so that few keys move when members change?",
  oracle: "modulo",
  fields: {
    placement: { rendezvous: true, ring: true, maglev: true, jump: true, modulo: true, own: true },
    follows: { ids: true, positions: true },
    weighted: "boolean",
    mostMembers: "number",
    surplus: "function",
    spread: "function",
    create: "function",
  },
  optional: { bound: "number" },
  footprint: ({ follows, weighted, bound }) =>
    `private; ${follows === "ids" ? "any member may go" : "the last member may go"}, ${weighted ? "by weight" : "all alike"}${bound === undefined ? "" : `, at most ${bound} times the average load`}`,
} satisfies Contract<AffinityCompetitor>;
