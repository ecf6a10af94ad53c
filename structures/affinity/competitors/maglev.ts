import { hashOf } from "../../keyed/parts/key.ts";
import { scrambled } from "../../shared/murmur3.ts";
import { type Affinity, type AffinityCompetitor, assertMembers, NONE } from "../affinity.contract.ts";
import { type Ranked, ranked } from "../parts/ranked.ts";

/**
 * A table of 65,537 slots, which members fill in turn, each in an order of its own; a key has one slot.
 *
 * Promise: shares differ by a slot. A change moves the keys of the member that comes or goes, and a few more.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a hash of the key, a remainder and one read, for any number of members. A change fills the table anew.
 * Memory: private: 128 KiB.
 * Limits: the members that it can serve with shares within 2 percent are 1,310; it takes 6,553. One table size for all, since
 *   another size would move nearly all keys.
 * Bet: the pick that costs least; what a change moves beyond the least is small.
 * Source: Eisenbud et al., "Maglev: a fast and reliable software network load balancer", NSDI 2016, section 3.4; weights as in
 *   Envoy's maglev_lb.cc: a member's turn is left out until its weight has added up.
 */
const maglev = {
  summary: "a table of 65,537 slots, which members fill in turn, each in its own order",
  source: "Eisenbud et al., NSDI 2016",
  progress: "wait-free",
  placement: "maglev",
  follows: "ids",
  weighted: true,
  mostMembers: 6_553,
  surplus: () => MOST_SURPLUS,
  spread: (members) => members / SLOTS,

  create(members): Affinity {
    assertMembers(maglev, members);
    const slots = filled(ranked(members));
    return {
      pick(key, avoid) {
        let slot = (hashOf(key) >>> 0) % SLOTS;
        for (let passed = 0; passed < SLOTS; passed++, slot++) {
          if (slot === SLOTS) slot = 0;
          const owner = slots[slot]!;
          if (!avoid?.(owner)) return owner;
        }
        return NONE;
      },
    };
  },
} satisfies AffinityCompetitor;
export default maglev;

/** Twice what was seen of up to 1,000 members, alike or not. */
const MOST_SURPLUS = 0.02;

/** Prime, so that every step visits all slots. */
export const SLOTS = 65_537;

/** Where a member begins among the slots, and by which step it goes on. */
export function orderOf(hash: number): { readonly offset: number; readonly skip: number } {
  const other = scrambled(hash ^ OTHER) >>> 0;
  return { offset: (hash >>> 0) % SLOTS, skip: (other % (SLOTS - 1)) + 1 };
}

const OTHER = 0x5bd1e995;
const FREE = 0xffff;

/** The place in the list of each slot's owner. */
function filled(all: readonly Ranked[]): Uint16Array {
  const slots = new Uint16Array(SLOTS).fill(FREE);
  const next = Uint32Array.from(all, ({ hash }) => orderOf(hash).offset);
  const skips = Uint32Array.from(all, ({ hash }) => orderOf(hash).skip);
  const greatest = all.reduce((most, { weight }) => Math.max(most, weight), 0);
  const turns = new Float64Array(all.length);
  let count = 0;
  for (let round = 1; ; round++) {
    for (let rank = 0; rank < all.length; rank++) {
      const { at, weight } = all[rank]!;
      if (round * weight < (turns[rank]! + 1) * greatest) continue;
      turns[rank]!++;
      let slot = next[rank]!;
      while (slots[slot] !== FREE) slot = (slot + skips[rank]!) % SLOTS;
      slots[slot] = at;
      next[rank] = (slot + skips[rank]!) % SLOTS;
      if (++count === SLOTS) return slots;
    }
  }
}
