import { hashOf } from "../../keyed/parts/key.ts";
import { scrambled } from "../../shared/murmur3.ts";
import { type Affinity, type AffinityCompetitor, assertMembers, NONE } from "../affinity.contract.ts";
import { ranked } from "../parts/ranked.ts";

/**
 * A ring of 2^32 places, on which each member has 160 points: the next point after the key's place has the key.
 *
 * Promise: a change moves the keys of the member that comes or goes, and no others.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a hash of the key, and a binary search among all points.
 * Memory: private: 8 bytes for each point.
 * Limits: shares scatter by 8 percent, one over the square root of the points. A weight multiplies the points, which are 2^22
 *   at most.
 * Bet: the binary search in a large table costs more than the slot of maglev.
 * Source: Karger et al., "Consistent hashing and random trees", STOC 1997; 160 points as libketama (Last.fm, 2007).
 */
const ring = {
  summary: "the next of 160 points that each member has on a ring",
  source: "Karger et al., STOC 1997; libketama",
  progress: "wait-free",
  placement: "ring",
  follows: "ids",
  weighted: true,
  mostMembers: 2 ** 14,
  surplus: () => 0,
  spread: () => 1 / Math.sqrt(POINTS),

  create(members): Affinity {
    assertMembers(ring, members);
    const all = ranked(members);
    const points = all.reduce((sum, { weight }) => sum + weight * POINTS, 0);
    if (points > MOST_POINTS)
      throw new RangeError(
        `weights sum to ${points / POINTS}, above ${MOST_POINTS / POINTS}: scale them down`,
      );
    // A point and whose it is, as one number that sorts by both.
    const sorted = new Float64Array(points);
    let count = 0;
    for (const [rank, { hash, weight }] of all.entries())
      for (let point = 0; point < weight * POINTS; point++)
        sorted[count++] = placeOf(hash, point) * RANKS + rank;
    sorted.sort();
    const places = Uint32Array.from(sorted, (packed) => Math.floor(packed / RANKS));
    const owners = Uint16Array.from(sorted, (packed) => all[packed % RANKS]!.at);

    return {
      pick(key, avoid) {
        let next = firstFrom(places, hashOf(key) >>> 0);
        for (let passed = 0; passed < points; passed++, next++) {
          if (next === points) next = 0;
          const owner = owners[next]!;
          if (!avoid?.(owner)) return owner;
        }
        return NONE;
      },
    };
  },
} satisfies AffinityCompetitor;
export default ring;

export const POINTS = 160;
const MOST_POINTS = 2 ** 22;
/** More than there are members. */
const RANKS = 2 ** 16;

/** A uint32 for each point of a member. */
export function placeOf(hash: number, point: number): number {
  return scrambled(hash + Math.imul(point + 1, 0x9e3779b9)) >>> 0;
}

/** The index of the first place that is not before this one; that of the end where there is none. */
function firstFrom(places: Uint32Array, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]! < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
