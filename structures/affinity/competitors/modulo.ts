import { hashOf } from "../../keyed/parts/key.ts";
import { type Affinity, type AffinityCompetitor, assertMembers, NONE } from "../affinity.contract.ts";
import { ranked } from "../parts/ranked.ts";

/**
 * The remainder of the key's hash by the number of members: what is written without thinking about changes.
 *
 * Promise: shares are fair but for chance.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a hash of the key and a remainder.
 * Memory: private: a word for each member.
 * Limits: a change of members moves nearly all keys.
 * Bet: nothing is faster, and no other has to be, where members never change.
 * Source: textbook.
 */
const modulo = {
  summary: "the remainder of the key's hash by the number of members",
  source: "textbook",
  progress: "wait-free",
  placement: "modulo",
  follows: "ids",
  weighted: false,
  mostMembers: 2 ** 20,
  surplus: () => 1,
  spread: () => 0,

  create(members): Affinity {
    assertMembers(modulo, members);
    const places = ranked(members).map(({ at }) => at);
    return {
      pick(key, avoid) {
        const first = (hashOf(key) >>> 0) % places.length;
        for (let passed = 0; passed < places.length; passed++) {
          const place = places[(first + passed) % places.length]!;
          if (!avoid?.(place)) return place;
        }
        return NONE;
      },
    };
  },
} satisfies AffinityCompetitor;
export default modulo;
