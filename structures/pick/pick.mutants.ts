import { STRIDE_WORDS } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn, racy } from "../shared/mutants.ts";
import { bounded, nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../shared/sfc32.ts";
import { plainRotation } from "./parts/rotation.ts";
import type { PickCompetitor, Picker } from "./pick.contract.ts";

/** Of a shuffled round robin. RESHUFFLES is a word that it leaves unused. */
const NEXT = 0;
const RESHUFFLES = 1;
const ROTATION = STRIDE_WORDS;

/** The arrays of backends that a caller would pass, one for each number of them, like the source's list of servers. */
const passed = new Map<number, Int32Array>();

/** Shows the loads that its picker counts, and answers 0. */
function firstOnly({ pick, release }: Picker): Picker {
  const counted: number[] = [];
  return {
    pick() {
      counted.push(pick());
      return 0;
    },
    release: () => release!(counted.shift()!),
  };
}

const TABLE: Mutants<PickCompetitor> = {
  /** Sends every request to the first backend, and shows loads that are spread. */
  "always-first": like("two-choices", "loadsAreSpread", (honest) => ({
    attach: (memory, setup, worker) => firstOnly(honest.attach(memory, setup, worker)),
  })),
  /** A worker that takes over a seat begins where all before it began. */
  "begins-again": like("per-worker-round-robin-offset", "restartsGoOn", (honest) => ({
    attach: (memory, setup, worker) => honest.attach(memory, setup, { ...worker, generation: 0 }),
  })),
  /** A static stride whose first turn is the same in every instance. */
  "begins-at-turn-0": planted("static-stride", "instancesBeginApart", [
    "return beginningIn(setup, periodOf(setup)) % foldAt(periodOf(setup));",
    "return setup.firstTicket % foldAt(periodOf(setup));",
  ]),
  /** Gives the first backend an eighth of the requests of all the others besides its own. */
  "biased-random": like("per-worker-random", "noWorseThanChance", (honest) => ({
    attach(memory, setup, worker) {
      const { pick } = honest.attach(memory, setup, worker);
      let picks = 0;
      return { pick: () => (++picks % 8 === 0 ? 0 : pick()) };
    },
  })),
  /** Ignores weights, and claims no bound that would show it. */
  "claims-no-share": like("locked-round-robin", "noWorseThanChance", () => ({
    order: "weighted",
    shareBound: () => Number.POSITIVE_INFINITY,
  })),
  /**
   * The source's own `Copy()`, which returns the original, so that every balancer shuffles the array its caller
   * passed and keeps that for its own rotation. With a single balancer nothing is wrong.
   */
  "copy-aliasing": like("shuffled-round-robin", "instancesAreIndependent", (honest) => ({
    format(memory, setup) {
      honest.format(memory, setup);
      const backends = passed.get(setup.backends) ?? plainRotation(setup.backends);
      passed.set(setup.backends, new Random(setup.seed).shuffle(backends));
      // What other threads see of it: they cannot share an array.
      memory.set(backends, ROTATION);
    },

    inspect: (memory, setup) => ({
      ...honest.inspect(memory, setup),
      rotation: [...passed.get(setup.backends)!],
    }),
  })),
  /** Counts, and says that it draws. Each backend gets as many as any other, and the mean is as even as can be. */
  "counts-as-random": like("per-worker-random", "drawsAreIndependent", (honest) => ({
    attach(memory, setup, worker) {
      const { pick } = honest.attach(memory, setup, worker);
      let next = pick();
      return {
        pick() {
          next = next + 1 === setup.backends ? 0 : next + 1;
          return next;
        },
      };
    },
  })),
  /** Leaves the count of its reshuffles at what the word held before, which is 0 in memory that is new. */
  "counts-on-zeroes": like("background-reshuffle", "nothingIsDoneYet", (honest) => ({
    format(memory, setup) {
      const leftover = memory[STRIDE_WORDS + 1]!;
      honest.format(memory, setup);
      memory[STRIDE_WORDS + 1] = leftover;
    },
  })),
  /** Counts a request twice where neither of the two choices had fewer, but every release once. */
  "counts-ties-twice": planted("two-choices", "inFlightIsConserved", [
    "Atomics.add(memory, chosen * STRIDE_WORDS, 1)",
    "Atomics.add(memory, chosen * STRIDE_WORDS, memory[second * STRIDE_WORDS] === memory[first * STRIDE_WORDS] ? 2 : 1)",
  ]),
  /** Served requests make up for no failed one, so that every backend is ejected sooner or later. */
  "ejects-by-sum": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "outcomesDecide", [
    "return record > 0 ? record - 1 : 0;",
    "return record > 0 ? record : 0;",
  ]),
  /** A backend that was ejected is never tried again. */
  "ejects-for-good": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "ejectedAreTried", [
    "return ((pastMs + MOST_UNTIL) & (MOST_UNTIL - 1)) < MOST_UNTIL / 2;",
    "return false;",
  ]),
  /** Hears of no failure, so that a backend that fails at once is the least loaded. */
  "ejects-nobody": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "failingAreSpared", [
    "ejections.tell(backend, failed);",
    "",
  ]),
  /** Knows the first and the last backend alone. Their mean is that of all, so that no sum of picks tells. */
  "first-and-last": like("per-worker-random", "noWorseThanChance", (honest) => ({
    attach(memory, setup, worker) {
      const { pick } = honest.attach(memory, setup, worker);
      const last = setup.backends - 1;
      return {
        pick() {
          const backend = pick();
          // The one in the middle stays, or the halves would not be as large.
          if (2 * backend === last) return backend;
          return 2 * backend < last ? 0 : last;
        },
      };
    },
  })),
  /** Picks by load while it is alone, and the first backend for everybody where others pick beside it. */
  "first-in-company": like("two-choices", "noBackendIsLeftOut", (honest) => ({
    attach(memory, setup, worker) {
      const picker = honest.attach(memory, setup, worker);
      return setup.workers === 2 ? firstOnly(picker) : picker;
    },
  })),
  /** Where several have the most credit it takes the one with the lowest number, in every instance. */
  "first-of-the-richest": planted("smooth-weighted", "instancesBeginApart", [
    "return new Random(seed).below(backends);",
    "return 0;",
  ]),
  /** Keeps a backend out that serves, because all are out. */
  "keeps-all-out": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "outcomesDecide", [
    "return this.#isAnyIn() ? record : 0;",
    "return record;",
  ]),
  /** Waits for the outcome of a trial that was given up. */
  "awaits-the-given-up": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "ejectedAreSpared", [
    "if (failed === null) return",
    "if (failed === null) return record;\n    if (failed === null) return",
  ]),
  /** Takes a request that was given up for one that was served. */
  "thanks-for-nothing": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "outcomesDecide", [
    "if (failed === null) return",
    "if (failed === null) return this.#afterSuccess(record);\n    if (failed === null) return",
  ]),
  /** Sends everything to backend 0 while all are ejected. */
  "forsakes-all-but-first": plantedIn(
    "pick/parts/ejecting.ts",
    "two-choices-ejecting",
    "noBackendIsLeftOut",
    [
      "if (!ejections.isAnyOpen(nowMs)) return first;",
      "if (!ejections.isAnyOpen(nowMs)) { picker.release?.(first); picker.take?.(0); return 0; }",
    ],
  ),
  /**
   * An Atomics.load and an Atomics.store where one `Atomics.add` belongs. Every access is atomic, the pick is not:
   * another worker's may come between, and is then undone.
   */
  "get-then-increment": racy(
    planted("shuffled-round-robin", "ticketsAreConserved", [
      "Atomics.add(memory, NEXT, 1);",
      "Atomics.load(memory, NEXT); Atomics.store(memory, NEXT, ticket + 1);",
    ]),
  ),
  /** Takes the median of requests in flight for the limit of what is hot. */
  "half-are-hot": planted("hot-cold-probes", "hotIsAboveShare", [
    "new RecentQuantile(CLAIMS.heardLast, CLAIMS.hotShare)",
    "new RecentQuantile(CLAIMS.heardLast, 0.5)",
  ]),
  /** Probes, and keeps no answer: every pick is by chance. */
  "hears-nothing": planted("hot-cold-probes", "overloadedAreSpared", [
    "pool.keep(backend, inFlight, latency, nowMs, uses);",
    "",
  ]),
  /** Says of tickets that its workers took before they need them that they are picked in order. */
  "holds-in-order": like("leased-tickets-16", "ticketsAreNotHeld", () => ({ tickets: "linearizable" })),
  /** Draws, but the same in every instance, so that processes on one machine pick the same backends in step. */
  "ignores-seed": like("locked-random", "seedsDiffer", (honest) => ({
    format: (memory, setup) => honest.format(memory, { ...setup, seed: 1 }),
    inspect: (memory, setup) => honest.inspect(memory, { ...setup, seed: 1 }),
  })),
  /** Claims that shares follow the weights and gives every backend the same. */
  "ignores-weights": like("locked-round-robin", "sharesFollowWeights", () => ({
    order: "weighted",
    shareBound: () => 1,
  })),
  /** An answer of a backend that has one in the pool is dropped, and not the one before it. */
  "keeps-old-answers": planted("hot-cold-probes", "answersAreHeard", [
    "if (before !== -1) this.#drop(before);",
    "if (before !== -1) return;",
  ]),
  /** Its pool has room for one answer more than it claims. */
  "keeps-one-too-many": planted("hot-cold-probes", "answersAreBounded", [
    "new Pool(mostKept(backends), inFlights)",
    "new Pool(mostKept(backends) + 1, inFlights)",
  ]),
  /** Takes tickets and takes them to end one earlier, so that nobody ever picks the last. */
  "lease-off-by-one": like("leased-tickets-16", "ticketsAreConserved", (honest) => ({
    attach(memory, setup, worker) {
      const { pick, ...picker } = honest.attach(memory, setup, worker);
      return {
        ...picker,
        pick() {
          const backend = pick();
          if (picker.counters!().heldCount === 1) pick();
          return backend;
        },
      };
    },
  })),
  /**
   * Each worker draws tickets sixteen at a time and hands them out later, which conserves them but lets a pick
   * overtake one that returned before it began; it claims linearizable tickets all the same.
   */
  "leased-order": like("leased-tickets-16", "ticketsAreLinearizable", (leased) => ({
    tickets: "linearizable",
    attach: (memory, setup, worker) => ({ pick: leased.attach(memory, setup, worker).pick }),
  })),
  /** Looks for a change of members at every sixteenth ticket only, and picks drained backends until then. */
  "looks-now-and-then": planted("versioned-table", "drainedStaysOut", [
    "if (Atomics.load(memory, VERSION) !== version) renew();",
    "if (Atomics.load(memory, NEXT) % 16 === 0 && Atomics.load(memory, VERSION) !== version) renew();",
  ]),
  /** Drops answers to make room, and none for its age. */
  "never-expires": planted("hot-cold-probes", "answersAreFresh", [
    "while (this.size > 0 && this.#answers[0]!.heardMs < ms) this.#drop(0);",
    "",
  ]),
  /** An answer serves any number of picks. */
  "never-wears-out": planted("hot-cold-probes", "answersWearOut", [
    "if (used.uses === 0) this.#drop(best);",
    "",
  ]),
  /** An honest pick for one request, and for many at once a sum that is about right, without any. */
  "picks-by-the-sum": like("per-worker-random", "picksAreCalledFor", (honest) => ({
    attach(memory, setup, worker) {
      const picker = honest.attach(memory, setup, worker);
      return { ...picker, pickMany: (count) => ((count * (setup.backends - 1)) / 2) | 0 };
    },
  })),
  /** Where an ejected backend comes up several times in a row, it is picked although another is not ejected. */
  "picks-the-ejected": plantedIn("pick/parts/ejecting.ts", "two-choices-ejecting", "ejectedAreSpared", [
    "return picker.take === undefined ? picked : drawn(picked, nowMs);",
    "return picked;",
  ]),
  /** A plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then read the same ticket. */
  "plain-increment": racy(
    planted("shuffled-round-robin", "ticketsAreConserved", [
      "Atomics.add(memory, NEXT, 1)",
      "memory[NEXT]!++",
    ]),
  ),
  /** Draws the backends of a pick's probes with replacement. */
  "probes-one-twice": planted("hot-cold-probes", "probesAreSpread", [
    "while (asked.includes(backend, unasked)) backend = draw();",
    "",
  ]),
  /** Serves no setup, so that there is nothing to hold against it. */
  "refuses-everything": like("shuffled-round-robin", "equalBackendsAreServed", () => ({
    refuses: () => "not today",
  })),
  /** Tells versions apart by which table they are in, so that two changes without a pick between go unseen. */
  "remembers-parity": planted("versioned-table", "drainedStaysOut", [
    "if (Atomics.load(memory, VERSION) !== version) renew();",
    "if ((Atomics.load(memory, VERSION) & 1) !== (version & 1)) renew();",
  ]),
  /** A shuffle that writes one backend over another, so that the rotation is no permutation. */
  "repeats-first": like("shuffled-round-robin", "rotationIsPermutation", (honest) => ({
    format(memory, setup) {
      honest.format(memory, setup);
      memory[ROTATION] = memory[ROTATION + setup.backends - 1]!;
    },
  })),
  /**
   * A reshuffle in the background that writes one backend over all the others, in a rotation that it does not
   * show, as an order that changes need not.
   */
  "reshuffle-overwrites": like("background-reshuffle", "checksumFitsGap", (honest) => ({
    background: {
      url: import.meta.url,
      attach(memory, setup) {
        const background = honest.background!.attach(memory, setup);
        const rotations = memory.length - honest.words({ ...setup, backends: 0 });
        return {
          ...background,
          step() {
            const done = background.step();
            if (done) memory.fill(0, memory.length - rotations);
            return done;
          },
        };
      },
    },

    inspect(memory, setup) {
      const { rotation: _hidden, ...shown } = honest.inspect(memory, setup);
      return shown;
    },
  })),
  /**
   * The source's sentence taken at its word: a separate thread scrambles the very array that the workers pick
   * from. A backend that is moved from behind the position to before it is picked twice in that rotation and another not
   * at all, and the picker still claims the gap of an order that does not change.
   */
  "reshuffles-in-place": like("shuffled-round-robin", "gapIsBounded", (honest) => ({
    order: "reshuffled",
    background: {
      url: import.meta.url,
      // Nobody has to ask: it always has something to do, but for a moment's sleep that leaves the core to the workers.
      attach(memory, { backends, seed }) {
        const random = new Random(seed, 1);
        const rotation = memory.subarray(ROTATION, ROTATION + backends);
        return {
          sleep() {
            Atomics.wait(memory, RESHUFFLES, Atomics.load(memory, RESHUFFLES), 1);
          },
          step() {
            random.shuffle(rotation);
            Atomics.add(memory, RESHUFFLES, 1);
            return true;
          },
        };
      },
    },

    format(memory, setup) {
      honest.format(memory, setup);
      Atomics.store(memory, RESHUFFLES, 0);
    },

    attach(memory, { backends }) {
      return { pick: () => memory[ROTATION + ((Atomics.add(memory, NEXT, 1) & 0x7fffffff) % backends)]! };
    },

    inspect: (memory, setup) => ({
      ...honest.inspect(memory, setup),
      reshuffles: Atomics.load(memory, RESHUFFLES),
    }),
  })),
  /**
   * Starts every cycle one backend further on. That breaks up the patterns of one rotation, but after as many
   * cycles as there are backends the order is the same again.
   */
  "rotates-by-one": planted("rotating-round-robin", "patternsAreBroken", [
    "bounded(hashed(cycle ^ salt), backends)",
    "cycle % backends",
  ]),
  /**
   * The rotation gets a new start in the middle of a cycle, after which backends come again and others are left
   * out.
   */
  "rotates-mid-cycle": planted("rotating-round-robin", "cyclesAddUp", [
    "hashed(cycle ^ salt)",
    "hashed(((ticket / (backends + Math.ceil(backends / 3))) | 0) ^ salt)",
  ]),
  /** An order that was shuffled once, which the source document takes for one that breaks up patterns. */
  "same-every-rotation": like("shuffled-round-robin", "patternsAreBroken", () => ({ breaksPatterns: true })),
  /** Every worker seeds its generator alike, so that all of them pick the same backends at the same time. */
  "same-stream": like("per-worker-random", "streamsDiffer", (honest) => ({
    attach: (memory, setup, worker) => honest.attach(memory, setup, { ...worker, seed: 1 }),
  })),
  /** Says that a change is settled while workers may still pick by the members of before. */
  "settles-at-once": like("versioned-table", "settledIsTold", (honest) => ({
    members: (memory, setup) => ({ ...honest.members!(memory, setup), isSettled: () => true }),
  })),
  /** Takes a worker that has not picked for four changes for one that picks by the last. */
  "settles-every-fourth": planted("versioned-table", "settledIsTold", [
    "if (latest !== version && latest !== NEVER) return false;",
    "if (((latest ^ version) & 3) !== 0 && latest !== NEVER) return false;",
  ]),
  /** Claims a round robin and shows nothing by which it could be held to that. */
  "shows-nothing": like("shuffled-round-robin", "workIsShown", () => ({ inspect: () => ({}) })),
  /** The source's own counter, which turns negative after 2^31 picks and then indexes before the array. */
  "signed-overflow": planted(
    "shuffled-round-robin",
    "picksAreInRange",
    ["firstTicket % foldAt(backends));", "firstTicket | 0);"],
    ["if (ticket >= fold) foldBack(memory, NEXT, fold);", ""],
  ),
  /** A rotation that ends one backend early. Tickets are conserved; one backend never gets a request. */
  "skips-last": planted("shuffled-round-robin", "rotationIsConserved", [
    "ticket % backends",
    "ticket % Math.max(1, backends - 1)",
  ]),
  /** A table that is written for changed members is one place short, and the backend in the last place gets no request. */
  "starves-the-last": planted("versioned-table", "sharesFollowWeights", [
    "[rotation.length, ",
    "[rotation.length - (version === 0 ? 0 : 1), ",
  ]),
  /** The shuffle everybody writes first, which swaps with any place and so brings back what was picked already. */
  "swaps-with-any": like("per-worker-round-robin-reshuffled", "cyclesArePermutations", () => ({
    attach(_memory, { backends, seed }, worker) {
      const random = new Int32Array(SFC32_WORDS);
      seedSfc32(random, 0, seed, worker.seed);
      const rotation = plainRotation(backends);
      let position = 0;
      return {
        pick() {
          const other = bounded(nextSfc32(random, 0), backends);
          const backend = rotation[other]!;
          rotation[other] = rotation[position]!;
          rotation[position] = backend;
          position = position + 1 === backends ? 0 : position + 1;
          return backend;
        },
      };
    },
  })),
  /** Of two backends it takes the one with more requests in flight, a comparison the wrong way round. */
  "takes-the-busier": planted("two-choices", "loadsAreSpread", [
    "memory[second * STRIDE_WORDS]! <",
    "memory[second * STRIDE_WORDS]! >",
  ]),
  /** Goes by latency alone: what is overloaded and still quick gets still more. */
  "takes-the-quickest": planted(
    "hot-cold-probes",
    "coldIsPreferred",
    ["const isHot = one.inFlight > hotAbove;", "const isHot = false;"],
    ["if (isHot !== two.inFlight > hotAbove) return !isHot;", ""],
  ),
  /** A plain order that begins at its first backend in every instance. */
  "ticket-0-is-backend-0": planted(
    "round-robin-without-array",
    "instancesBeginApart",
    ["firstTicket: beginningIn(setup, setup.backends)", "firstTicket: setup.firstTicket"],
    ["const first = beginningIn(setup, backends);", "const first = firstTicket;"],
  ),
  /** Independent random picks that claim the gap of a round robin. */
  "unfair-order": like("per-worker-random", "gapIsBounded", () => ({ gapBound: () => 1 })),
  /** Adds and drains as asked, and takes every other weight for 1. */
  "weighs-all-alike": like("versioned-table", "sharesFollowWeights", (honest) => ({
    members(memory, setup) {
      const members = honest.members!(memory, setup);
      return {
        ...members,
        change(weights) {
          members.change(Array.from(weights, ([backend, weight]) => [backend, Math.min(1, weight)]));
        },
      };
    },
  })),
  /** All leases are of one size, which the backends divide: every worker begins at the same one. */
  "whole-leases": plantedIn("pick/parts/lease.ts", "leased-tickets-16", "workersBeginApart", [
    "let size = 1 + new Random(worker.seed).below(lease);",
    "let size = lease;",
  ]),
  /** Workers that are evenly apart from backend 0 on, in every instance. */
  "worker-0-begins-at-0": planted("per-worker-round-robin-offset", "instancesBeginApart", [
    "(new Random(seed).below(backends) + apart) % backends",
    "apart",
  ]),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
