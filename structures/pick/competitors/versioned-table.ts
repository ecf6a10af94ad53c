import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { seamsCrossed } from "../parts/rotation.ts";
import { strideGapBound, strideRotation, strideRotationLength, strideShareBound } from "../parts/stride.ts";
import { assertChanges, weightsOf } from "../parts/weights.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Weighted round robin whose members change while workers pick. Each worker uses a table of its own, which it copies
 * anew when the version of the shared one has changed.
 *
 * Promise: every ticket is handed out once. Between two changes of members, tickets go round a table in which each
 *   member has as many places as its weight in lowest terms. A pick that begins after a change has returned uses it. A
 *   pick in progress uses the old table or the new one, so at a change one ticket for each worker may be answered by
 *   either.
 * Progress: lock-free: a pick copies the table again only where a whole change was made while it copied. A thread that
 *   stops in the middle of a change, or of a pick, holds up no pick.
 * Threads: any worker that attached, each on its own index; any thread may change members, one at a time.
 * Cost: one Atomics.load of a word that only changes write, one Atomics.add, one mask and one integer remainder. After
 *   a change an Atomics.load for each place of the table, once for each worker. A change takes as many steps as there are
 *   members times the largest weight in lowest terms.
 * Memory: two strides, a word for each worker, and two tables of 17 words for each backend. 16 of the 17 are places of
 *   the table, and there are places for at least 8 backends. One more such table is private to each worker.
 * Limits: weights in lowest terms add up to 16 for each backend at most, and to 128 for 8 or fewer. A thread that dies in
 *   the middle of a change leaves the members as they were, for good. A worker that picks nothing while 2^31 changes are
 *   made takes the table of before for the one of today. At every 2^31 picks the table starts anew in mid-table.
 *   Contention and request patterns as in shuffled-round-robin.
 * Bet: for members that change, a pick pays only a load of a word that only changes write. A change is cheaper than a
 *   rebuild.
 * Source: gRPC-Go, balancer/weightedroundrobin: its static stride scheduler is built anew for new weights and published
 *   by one pointer. Here two tables replace the pointer's targets, and reads of them are checked as by a sequence lock
 *   (Lameter, Effective synchronization on Linux/NUMA systems, 2005). So there is no grace period to wait for, and an
 *   idle worker delays no change.
 *
 *     word 0           next       the next ticket modulo 2^32, as int32          every worker, atomically
 *     words 1 .. 31    dead
 *     word 32          version    changes made, modulo 2^31                      the changer, atomically; read by all
 *     word 33          changing   1 while a thread makes a change                the changer, atomically
 *     words 34 .. 63   dead
 *     word 64 + w      seen       version by which worker w picks, or -1         worker w stores, isSettled loads
 *     then             even table                                               the changer, atomically, before it
 *     then             odd table                                                publishes a version of that parity
 *
 * A table is, in whole strides: how many places it has, the weight of each backend, the backend at each place.
 */
export default {
  summary: "weighted: shared Atomics.add index into a private table, copied anew when members change",
  source: "gRPC-Go, weightedroundrobin; a sequence lock over two tables",
  progress: "lock-free",
  order: "weighted",
  breaksPatterns: false,
  tickets: "linearizable",
  // Before a change. At a seam one run of tickets ends and another begins.
  gapBound: (setup, picks) => strideGapBound(setup) * runsOf(setup, picks),
  // None beside the two that are always tried: the counter changes its sign there.
  wrapPoints: () => [],
  dependsOnBackends: true,
  shareBound: (setup, picks) => strideShareBound(setup) * runsOf(setup, picks),

  refuses: (setup) => unfit(weightsOf(setup)),

  words: (setup) => layoutOf(setup).words,

  format(memory, setup) {
    Atomics.store(memory, NEXT, setup.firstTicket | 0);
    Atomics.store(memory, CHANGING, 0);
    for (let worker = 0; worker < setup.workers; worker++) Atomics.store(memory, SEEN + worker, NEVER);
    publish(memory, setup, 0, weightsOf(setup));
  },

  attach(memory, setup, { index }) {
    const { backends } = setup;
    const { tables } = layoutOf(setup);
    const places = new Int32Array(mostPlaces(backends));
    let length = 0;
    let version = NEVER;

    /** Goes by the latest table from now on. */
    function renew(): void {
      version = unchanged(memory, (latest) => {
        const table = tables[latest & 1]!;
        length = Atomics.load(memory, table);
        const first = table + 1 + backends;
        for (let at = 0; at < length; at++) places[at] = Atomics.load(memory, first + at);
      });
      // This worker's picks by earlier versions have ended.
      Atomics.store(memory, SEEN + index, version);
    }

    renew();
    return {
      pick() {
        if (Atomics.load(memory, VERSION) !== version) renew();
        // The mask keeps the ticket a small integer, so that the remainder is an integer instruction.
        return places[(Atomics.add(memory, NEXT, 1) & (SEAM - 1)) % length]!;
      },
    };
  },

  members(memory, setup) {
    const { tables } = layoutOf(setup);
    const weights = () => {
      let read: number[] = [];
      unchanged(memory, (version) => {
        const first = tables[version & 1]! + 1;
        read = Array.from({ length: setup.backends }, (_, backend) => Atomics.load(memory, first + backend));
      });
      return read;
    };
    return {
      weights,

      change(changes) {
        const wanted = [...changes];
        assertChanges(wanted, setup.backends);
        if (Atomics.compareExchange(memory, CHANGING, 0, 1) !== 0)
          throw new Error("another thread is changing the members: let one thread make all changes");
        const changed = weights();
        for (const [backend, weight] of wanted) changed[backend] = weight;
        const refusal = unfit(changed);
        if (refusal === undefined)
          publish(memory, setup, (Atomics.load(memory, VERSION) + 1) & LAST_VERSION, changed);
        Atomics.store(memory, CHANGING, 0);
        if (refusal !== undefined) throw new RangeError(`the members stay as they were: ${refusal}`);
      },

      isSettled() {
        const version = Atomics.load(memory, VERSION);
        for (let worker = 0; worker < setup.workers; worker++) {
          const latest = Atomics.load(memory, SEEN + worker);
          if (latest !== version && latest !== NEVER) return false;
        }
        return true;
      },
    };
  },

  inspect: (memory, { firstTicket }) => ({
    handedOut: { count: (Atomics.load(memory, NEXT) - firstTicket) >>> 0, modulo: 2 ** 32 },
  }),
} satisfies PickCompetitor;

/**
 * Reads what belongs to the latest version until no other was published meanwhile, and returns that version. A worker that
 * makes the next change writes to the other table, so that what was read is whole.
 */
function unchanged(memory: Region, read: (version: number) => void): number {
  for (;;) {
    const version = Atomics.load(memory, VERSION);
    read(version);
    if (Atomics.load(memory, VERSION) === version) return version;
  }
}

/** Writes the table of these weights where no worker reads, and makes it the one that all go by. */
function publish(memory: Region, setup: PickSetup, version: number, weights: readonly number[]): void {
  const table = layoutOf(setup).tables[version & 1]!;
  // Another order with each version: where changes come faster than tickets go round, chance decides which is left out.
  const rotation = strideRotation(weights, new Random(setup.seed, version));
  const words = [rotation.length, ...weights, ...rotation];
  for (const [at, word] of words.entries()) Atomics.store(memory, table + at, word);
  Atomics.store(memory, VERSION, version);
}

/** Why no table can be made of these weights; undefined where one can. */
function unfit(weights: readonly number[]): string | undefined {
  if (weights.every((weight) => weight === 0)) return "no member would be left: add one in the same change";
  const most = mostPlaces(weights.length);
  return strideRotationLength(weights) > most
    ? `the weights, in lowest terms, add up to more than ${most}`
    : undefined;
}

/** Enough for hundredths where backends are few, and for an average weight of 16 where they are many. */
function mostPlaces(backends: number): number {
  return Math.max(128, 16 * backends);
}

/** Runs of tickets that go round the first table without a seam. */
function runsOf(setup: PickSetup, picks: number): number {
  return 1 + seamsCrossed({ ...setup, backends: strideRotationLength(weightsOf(setup)) }, picks, SEAM);
}

const SEAM = 2 ** 31;
const NEXT = 0;
const VERSION = STRIDE_WORDS;
const CHANGING = VERSION + 1;
const SEEN = 2 * STRIDE_WORDS;
const LAST_VERSION = 2 ** 31 - 1;
/** The version that a worker has seen which has not attached. */
const NEVER = -1;

/** First words of what the numbers of workers and backends move. */
function layoutOf({ backends, workers }: PickSetup) {
  const even = SEEN + wholeStrides(workers);
  const tableWords = wholeStrides(1 + backends + mostPlaces(backends));
  return { tables: [even, even + tableWords], words: even + 2 * tableWords };
}
