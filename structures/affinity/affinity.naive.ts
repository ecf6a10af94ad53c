import type { Key } from "../keyed/keyed.contract.ts";
import { hashOf } from "../keyed/parts/key.ts";
import { scrambled } from "../shared/murmur3.ts";
import type { AffinityCompetitor, AffinityMember } from "./affinity.contract.ts";
import { AGAIN, STEP } from "./competitors/jump.ts";
import { orderOf, SLOTS } from "./competitors/maglev.ts";
import { POINTS, placeOf } from "./competitors/ring.ts";
import { type Ranked, ranked } from "./parts/ranked.ts";

/**
 * The placements as their papers have them, slow and plain. They share hashes with the competitors, and nothing else. Each
 * gives the order in which members are to get a key, by their places in the list.
 */
type Naive = (members: readonly AffinityMember[], key: Key) => Iterable<number>;

export const naive: Readonly<Record<AffinityCompetitor["placement"], Naive | undefined>> = {
  own: undefined,

  /** By falling score. Of two fractions, the greater has the greater score where weights are the same. */
  rendezvous: (members, key) =>
    ranked(members)
      .map(({ at, hash, weight }) => ({ at, score: -weight / Math.log(fraction(hash ^ hashOf(key))) }))
      .sort((one, other) => other.score - one.score)
      .map(({ at }) => at),

  /** Clockwise from the key. */
  ring(members, key) {
    const from = hashOf(key) >>> 0;
    return ranked(members)
      .flatMap((member, rank) =>
        pointsOf(member).map((place) => ({
          at: member.at,
          way: (place - from + TWO_TO_32) % TWO_TO_32,
          rank,
        })),
      )
      .sort((one, other) => one.way - other.way || one.rank - other.rank)
      .map(({ at }) => at);
  },

  *maglev(members, key) {
    const table = populated(members);
    for (let passed = 0; passed < SLOTS; passed++) yield table[((hashOf(key) >>> 0) + passed) % SLOTS]!;
  },

  jump({ length }, key) {
    const hashes = [hashOf(key)];
    while (hashes.length <= AGAIN) hashes.push(scrambled(hashes.at(-1)! + STEP));
    const jumps = hashes.map((hash) => jumpConsistentHash(BigInt(hash >>> 0), length));
    return [...jumps, ...Array.from({ length }, (_, passed) => (jumps.at(-1)! + passed) % length)];
  },

  modulo(members, key) {
    const order = ranked(members).map(({ at }) => at);
    const first = (hashOf(key) >>> 0) % order.length;
    return [...order.slice(first), ...order.slice(0, first)];
  },
};

const TWO_TO_32 = 2 ** 32;

function fraction(key: number): number {
  return ((scrambled(key) >>> 0) + 0.5) / TWO_TO_32;
}

function pointsOf({ hash, weight }: Ranked): number[] {
  return Array.from({ length: weight * POINTS }, (_, point) => placeOf(hash, point));
}

/** The tables of the last members asked for, because a table takes long. */
let last: { readonly members: readonly AffinityMember[]; readonly table: readonly number[] } | undefined;

/** Pseudocode 1 of Maglev's paper, turns by weight as Envoy's. */
function populated(members: readonly AffinityMember[]): readonly number[] {
  if (last?.members === members) return last.table;
  const all = ranked(members);
  const orders = all.map(({ hash }) => orderOf(hash));
  const permutation = (i: number, j: number) => (orders[i]!.offset + j * orders[i]!.skip) % SLOTS;
  const next = all.map(() => 0);
  const targets = all.map(() => Math.max(...all.map(({ weight }) => weight)));
  const entry = new Array<number>(SLOTS).fill(-1);
  const [most] = targets as [number];
  let n = 0;
  for (let round = 1; n < SLOTS; round++) {
    for (const [i, { at, weight }] of all.entries()) {
      if (n === SLOTS || round * weight < targets[i]!) continue;
      targets[i]! += most;
      let c = permutation(i, next[i]!);
      while (entry[c]! >= 0) {
        next[i]!++;
        c = permutation(i, next[i]!);
      }
      entry[c] = at;
      next[i]!++;
      n++;
    }
  }
  last = { members, table: entry };
  return entry;
}

/** The listing of the paper, figure 1, with its 64-bit integers. */
function jumpConsistentHash(key: bigint, buckets: number): number {
  let b = -1n;
  let j = 0n;
  let state = key;
  while (j < BigInt(buckets)) {
    b = j;
    state = BigInt.asUintN(64, state * 2862933555777941757n + 1n);
    j = BigInt(Math.trunc(Number(b + 1n) * (2 ** 31 / Number((state >> 33n) + 1n))));
  }
  return Number(b);
}
