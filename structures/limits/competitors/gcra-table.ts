import { assertInteger } from "../../shared/arguments.ts";
import {
  assertSetup,
  type KeyedLimitsSetup,
  type LimitsByKey,
  type LimitsCompetitor,
  type LimitsSetup,
  MOST_KEYS,
  type TokenBucket,
} from "../limits.contract.ts";
import { CLOCK_WORDS, processClock } from "../parts/clock.ts";
import { FULL_BITS, formatTable, KeyTable, sizeFor, tableWords } from "../parts/key-table.ts";
import { rateLossNs, scaleOf } from "../parts/scale.ts";

/**
 * The word of gcra-cas for each key, in a table of all workers that forgets keys whose buckets are full.
 *
 * Promise: the limit of each key is exact, as gcra-cas's. A key that is limited is never forgotten. A token comes at most
 *   two ticks late: 5 ns, or a 2^57th of the time to fill where that is more.
 * Progress: lock-free, as gcra-cas. A thread that loses a cell to another has been overtaken.
 * Threads: any worker that attached. A worker that is terminated at any access leaves nothing half done.
 * Cost: two hashes of the key, a look at the owners of a few cells, and a take of gcra-cas. A key whose bucket is full costs
 *   a look at all 16 owners of its bin.
 * Memory: 64 to 128 bytes for each of `keys`, and the word of the clock.
 * Limits: keys are known by 48 bits of a hash without a secret: two that share them share a bucket, and a stranger who may
 *   choose keys can find such. A key is refused if the 16 cells of its bin are all limited, one in a million where `keys`
 *   are. A thread that stops between two accesses of one take while a cell has 2^16 owners may find the number that it knew.
 * Bet: a shared table costs a worker little more than a Map of its own, and keeps one limit.
 * Source: gcra-cas; numbers against the ABA problem, IBM System/370 Principles of Operation, appendix A.
 *
 *     words 0 ..   table   every worker, atomically; see parts/key-table.ts
 *     then         clock   see parts/clock.ts
 */
const byKey = {
  words(setup) {
    assertSetup(setup);
    assertInteger("keys", setup.keys, 1, MOST_KEYS);
    return tableWords(sizeFor(setup.keys)) + CLOCK_WORDS;
  },

  format: (memory, { keys }) => formatTable(memory, sizeFor(keys)),

  attach(memory, setup, _worker, nowNs = processClock(memory, tableWords(sizeFor(setup.keys)))): KeyTable {
    return new KeyTable(memory, setup, sizeFor(setup.keys), nowNs);
  },
} satisfies LimitsByKey;

const ofOne = (setup: LimitsSetup): KeyedLimitsSetup => ({ ...setup, keys: 1 });
const ONE = 0;

export default {
  summary: "GCRA by key in a table of all workers, which forgets keys whose buckets are full",
  source: "ITU-T I.371; the Rust crate governor",
  progress: "lock-free",
  scope: "one",
  refill: "continuous",
  mostOver: () => 0,
  mostLateNs(setup) {
    const { rate, shift } = scaleOf(setup, FULL_BITS);
    return (2 * 2 ** Number(shift)) / Number(rate) + 1 + rateLossNs(setup);
  },
  byKey,
  words: (setup) => byKey.words(ofOne(setup)),
  format: (memory, setup) => byKey.format(memory, ofOne(setup)),

  attach(memory, setup, worker, nowNs): TokenBucket {
    const buckets = byKey.attach(memory, ofOne(setup), worker, nowNs);
    return {
      tryTake: (n = 1) => buckets.tryTake(ONE, n),
      waitMs: (n = 1) => buckets.waitMs(ONE, n),
    };
  },
} satisfies LimitsCompetitor;
