import { hashOf } from "../../keyed/parts/key.ts";
import type { AffinityMember } from "../affinity.contract.ts";

/** A member as every thread sees it, whatever order the list has. */
export interface Ranked {
  /** Its place in the list that was given. */
  readonly at: number;
  /** An int32 of its own. */
  readonly hash: number;
  readonly weight: number;
}

/**
 * The members by id. Where the hashes of two are the same, once in ten thousand lists of a thousand, the later one gets
 * another hash; its keys move when the earlier one goes.
 */
export function ranked(members: readonly AffinityMember[]): Ranked[] {
  const taken = new Set<number>();
  return members
    .map(({ id, weight = 1 }, at) => ({ id, weight, at }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, weight, at }) => {
      let salt = 0;
      while (taken.has(hashOf(id, salt))) salt += 2;
      const hash = hashOf(id, salt);
      taken.add(hash);
      return { at, hash, weight };
    });
}
