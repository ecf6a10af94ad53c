import HashRing from "hashring";
import { hashOf } from "../../keyed/parts/key.ts";
import { type Affinity, type AffinityCompetitor, assertMembers, NONE } from "../affinity.contract.ts";

/**
 * The package hashring: a ring of 160 points for each member by MD5, as libketama, and a cache of the last 5,000 keys.
 *
 * Promise: that of ring, but for the points that rounding takes away.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a look into the cache; for other keys MD5 of the key and a binary search.
 * Memory: private: an object for each point, and the cache.
 * Limits: rounds its points down with each number of members, so that another number may move a fortieth more. The key 5 is
 *   the key "5". Ids are given to it in hexadecimal, because it reads them as host and port.
 * Bet: what most programs of Node have; MD5 costs more than all else.
 * Source: npm hashring 3.2.0 (A. Kazemier).
 */
const npmHashring = {
  summary: "hashring's points by MD5, with a cache of the last 5,000 keys",
  source: "npm hashring; libketama",
  progress: "wait-free",
  placement: "own",
  follows: "ids",
  weighted: false,
  mostMembers: 2 ** 14,
  surplus: () => 2 / 40,
  spread: () => 1 / Math.sqrt(160),

  create(members): Affinity {
    assertMembers(npmHashring, members);
    const ids = members.map(({ id }) => Buffer.from(id).toString("hex"));
    const places = new Map(ids.map((id, at) => [id, at]));
    const ring = new HashRing(ids);
    return {
      pick(key, avoid) {
        if (typeof key !== "string") hashOf(key);
        const first = places.get(ring.get(String(key)))!;
        if (!avoid?.(first)) return first;
        const next = ring.range(String(key)).find((id) => !avoid(places.get(id)!));
        return next === undefined ? NONE : places.get(next)!;
      },
    };
  },
} satisfies AffinityCompetitor;
export default npmHashring;
