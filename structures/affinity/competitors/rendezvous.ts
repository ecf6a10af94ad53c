import { hashOf } from "../../keyed/parts/key.ts";
import { scrambled } from "../../shared/murmur3.ts";
import {
  type Affinity,
  type AffinityCompetitor,
  type AffinityMember,
  type Avoid,
  assertMembers,
  NONE,
} from "../affinity.contract.ts";
import { type Ranked, ranked } from "../parts/ranked.ts";

/**
 * Highest random weight: each member has a hash of its own for the key, and the greatest wins.
 *
 * Promise: a change moves the keys of the member that comes or goes, and no others. Shares are fair but for chance.
 * Progress: wait-free.
 * Threads: any; each has its own handle.
 * Cost: a hash of the key and one for each member; a logarithm for each where weights differ.
 * Memory: private: a few words for each member, no table.
 * Limits: its time grows with the members. Logarithms may differ in their last bit between engines, so that threads of one
 *   runtime agree always where weights differ, and runtimes on all but a few keys in 10^15.
 * Bet: without a table, among few members, it is about as fast as any table.
 * Source: Thaler & Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on Networking 6(1),
 *   1998; weights by logarithm: Schindler & Schomaker, "Weighted distributed hash tables", SPAA 2005.
 */
const rendezvous = {
  summary: "the member with the greatest hash of the key and itself, weighted by logarithm",
  source: "Thaler & Ravishankar 1998; Schindler & Schomaker, SPAA 2005",
  progress: "wait-free",
  placement: "rendezvous",
  follows: "ids",
  weighted: true,
  mostMembers: 65_536,
  surplus: () => 0,
  spread: () => 0,

  create(members: readonly AffinityMember[]): Affinity {
    assertMembers(rendezvous, members);
    const all = ranked(members);
    const isLevel = all.every(({ weight }) => weight === all[0]!.weight);
    return { pick: (key, avoid) => greatest(all, isLevel ? levelScore : score, hashOf(key), avoid) };
  },
} satisfies AffinityCompetitor;
export default rendezvous;

type Score = (hash: number, weight: number) => number;

function greatest(all: readonly Ranked[], scoreOf: Score, key: number, avoid: Avoid | undefined): number {
  let most = -1;
  let chosen = NONE;
  for (let rank = 0; rank < all.length; rank++) {
    const { at, hash, weight } = all[rank]!;
    const own = scoreOf(scrambled(hash ^ key), weight);
    if (own <= most || avoid?.(at)) continue;
    most = own;
    chosen = at;
  }
  return chosen;
}

const levelScore: Score = (hash) => hash >>> 0;

/** The weight over the logarithm of a fraction, never 0 or 1. */
const score: Score = (hash, weight) => -weight / Math.log(((hash >>> 0) + 0.5) / 2 ** 32);
