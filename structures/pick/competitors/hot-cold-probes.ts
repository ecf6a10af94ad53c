import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { RecentQuantile } from "../parts/recent-quantile.ts";
import { sharesNothing } from "../parts/traits.ts";
import { assertBackend } from "../parts/weights.ts";
import type { PickCompetitor, ProbeAnswer, ProbeClaims, ProbesKnown } from "../pick.contract.ts";

const CLAIMS: ProbeClaims = {
  perPick: 3,
  kept: mostKept,
  uses: (backends) => Math.ceil(usesOf(backends)),
  mostMs: 1_000,
  hotShare: 2 ** -0.25,
  // Enough that a sixth of them is a score, few enough that they arrived while the last 43 requests were picked.
  heardLast: 128,
};

/**
 * Prequal: each pick sends a few probes to random backends and uses a small pool of earlier answers. Among backends
 * that are not overloaded it takes the quickest, else the one with the fewest requests.
 *
 * Promise: a backend is hot that has more requests in flight than 84 % of the answers heard last. Of the answers kept,
 *   a pick uses a cold one with the least latency. Where all are hot, it uses the one with the fewest requests in
 *   flight. With fewer than two answers it is a uniform draw. No answer is kept for more than a second, nor used more
 *   often than its budget.
 * Progress: wait-free: no pick waits for an answer.
 * Threads: each worker has a pool of its own; nothing is shared, as the backends know their loads.
 * Cost: one look at each of up to 16 answers to choose, and one to discard; three draws for the probes. For each answer a
 *   search in the pool, and an insertion in order among 128 numbers. Beside that three probes for each request, which are
 *   not this structure's to send.
 * Memory: 16 answers and two lists of 128 numbers private to each worker.
 * Limits: a worker that picks less than once a second picks at random, as its answers are too old by then. So does
 *   every worker of one backend. Loads are seen as late as answers come, and each worker sees for itself: several may
 *   choose one backend by the same look.
 * Bet: where backends differ and change, their own reports make the slowest requests far shorter than any order does.
 *   They also beat two-choices, which counts only the requests of its own process. With 8 backends in one process,
 *   where counters are exact, it gains nothing over two-choices and costs several times as much.
 * Source: B. Wydrowski, R. Kleinberg, S. M. Rumble, A. Archer, "Load is not what you should balance: Introducing
 *   Prequal" (NSDI 2024), section 4. Taken over from it: a pool of 16, 3 probes for each request, 1 s, and the
 *   threshold at the quantile 2^-0.25. Also: one answer discarded with each pick, oldest and worst in turn, and the
 *   budget of uses with delta = 1. What the paper leaves open, or what differs: a backend has one answer in the pool,
 *   its latest. Where there are fewer than 96 backends, the pool holds a sixth as many answers, as in the paper's
 *   testbed, which has 100. The quantile is of the last 128 answers. Each worker has a pool, not each process. No
 *   probes are sent while nothing is picked.
 *
 * Nothing is shared, so there is no map of words.
 */
export default {
  ...sharesNothing,
  summary: "Prequal: the quickest cold backend of a private pool of answers to asynchronous probes",
  source: "Wydrowski et al., Prequal (NSDI 2024)",
  order: "probed",
  dependsOnBackends: true,

  probes: CLAIMS,

  attach(_memory, { backends, seed }, worker) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, seed, worker.seed);
    const draw = () => bounded(nextSfc32(state, 0), backends);
    const inFlights = new RecentQuantile(CLAIMS.heardLast, CLAIMS.hotShare);
    const pool = new Pool(mostKept(backends), inFlights);
    const budget = usesOf(backends);
    /** The backends that the last pick probes; the first `unasked` of them have yet to be drawn. */
    const asked = new Int32Array(Math.min(CLAIMS.perPick, backends));
    let unasked = 0;
    let picks = 0;
    let nowMs = 0;
    return {
      pick() {
        pool.dropBefore(nowMs - CLAIMS.mostMs);
        const backend = pool.size < FEWEST_TO_CHOOSE ? draw() : pool.useBest();
        if (picks++ % 2 === 0) pool.dropOldest();
        else pool.dropWorst();
        unasked = asked.length;
        return backend;
      },

      probes: {
        next() {
          if (unasked === 0) return -1;
          let backend = draw();
          while (asked.includes(backend, unasked)) backend = draw();
          unasked--;
          asked[unasked] = backend;
          return backend;
        },
        answer(backend, inFlight, latency) {
          assertAnswer(backends, { backend, inFlight, latency });
          inFlights.add(inFlight);
          // Rounded up as often as makes a budget that is no whole number right on average.
          const uses = Math.floor(budget + (nextSfc32(state, 0) >>> 0) / 2 ** 32);
          pool.keep(backend, inFlight, latency, nowMs, uses);
        },
        advance(toMs) {
          nowMs = toMs;
        },
        known() {
          pool.dropBefore(nowMs - CLAIMS.mostMs);
          return pool.known();
        },
      },
    };
  },

  inspect: () => ({}),
} satisfies PickCompetitor;

/** Answers to choose among; of fewer the paper makes no choice. */
const FEWEST_TO_CHOOSE = 2;
const MOST_KEPT = 16;
const BACKENDS_PER_KEPT = 6;
/** Answers that leave the pool with each pick, whether it went by them or not. */
const DROPPED_PER_PICK = 1;
/** By what share more answers come in than are used up or dropped: the paper's delta. */
const SURPLUS = 1;

/**
 * The paper's 16, or fewer where there are few backends. A pool of half of them was tried. Every worker with an answer
 * of the same backend uses it, so often that the median request waited longer than after random picks.
 */
function mostKept(backends: number): number {
  return Math.max(FEWEST_TO_CHOOSE, Math.min(MOST_KEPT, Math.floor(backends / BACKENDS_PER_KEPT)));
}

/**
 * The paper's budget of uses: what makes answers come in faster, by SURPLUS, than picks use them up. An answer of a
 * backend that has one in the pool adds none to it. Infinity where all that come in are dropped anyway.
 */
function usesOf(backends: number): number {
  const added = (1 - mostKept(backends) / backends) * CLAIMS.perPick - DROPPED_PER_PICK;
  return added > 0 ? Math.max(1, (1 + SURPLUS) / added) : Number.POSITIVE_INFINITY;
}

function assertAnswer(backends: number, { backend, inFlight, latency }: Omit<ProbeAnswer, "heardMs">): void {
  assertBackend(backend, backends);
  if (inFlight >>> 0 !== inFlight)
    throw new RangeError(`${inFlight} requests in flight is not an integer in 0 .. 2^32 - 1`);
  if (!(latency >= 0)) throw new RangeError(`latency ${latency} is not a number from 0 on`);
}

/** An answer in the pool. */
interface Kept {
  backend: number;
  inFlight: number;
  latency: number;
  heardMs: number;
  /** Picks that may still go by it. */
  uses: number;
}

/** The answers that one worker keeps, one of each backend at most. */
class Pool {
  size = 0;
  /** The answers kept, oldest first, and behind them as many spare ones as there is room for. */
  readonly #answers: Kept[];
  readonly #inFlights: RecentQuantile;

  constructor(most: number, inFlights: RecentQuantile) {
    this.#answers = Array.from({ length: most }, () => ({
      backend: 0,
      inFlight: 0,
      latency: 0,
      heardMs: 0,
      uses: 0,
    }));
    this.#inFlights = inFlights;
  }

  /** In the place of what this backend answered before, or of the oldest answer where there is no room. */
  keep(backend: number, inFlight: number, latency: number, heardMs: number, uses: number): void {
    const before = this.#indexOf(backend);
    if (before !== -1) this.#drop(before);
    else if (this.size === this.#answers.length) this.#drop(0);
    const kept = this.#answers[this.size++]!;
    kept.backend = backend;
    kept.inFlight = inFlight;
    kept.latency = latency;
    kept.heardMs = heardMs;
    kept.uses = uses;
  }

  /** The backend to pick, of a pool that is not empty. */
  useBest(): number {
    let best = 0;
    for (let at = 1; at < this.size; at++) if (this.#isBetter(at, best)) best = at;
    const used = this.#answers[best]!;
    // The request that goes there now will be in flight, too.
    used.inFlight++;
    used.uses--;
    if (used.uses === 0) this.#drop(best);
    return used.backend;
  }

  dropWorst(): void {
    let worst = 0;
    for (let at = 1; at < this.size; at++) if (this.#isBetter(worst, at)) worst = at;
    if (this.size > 0) this.#drop(worst);
  }

  dropOldest(): void {
    if (this.size > 0) this.#drop(0);
  }

  /** Drops what was heard before then. */
  dropBefore(ms: number): void {
    while (this.size > 0 && this.#answers[0]!.heardMs < ms) this.#drop(0);
  }

  known(): ProbesKnown {
    const answers = this.#answers.slice(0, this.size).map(({ uses, ...answer }) => answer);
    return { answers, hotAbove: this.#inFlights.value };
  }

  /** Hot-cold, lexicographic: cold before hot, among cold ones by latency, among hot ones by requests in flight. */
  #isBetter(at: number, other: number): boolean {
    const [one, two] = [this.#answers[at]!, this.#answers[other]!];
    const hotAbove = this.#inFlights.value;
    const isHot = one.inFlight > hotAbove;
    if (isHot !== two.inFlight > hotAbove) return !isHot;
    return isHot ? one.inFlight < two.inFlight : one.latency < two.latency;
  }

  #indexOf(backend: number): number {
    for (let at = 0; at < this.size; at++) if (this.#answers[at]!.backend === backend) return at;
    return -1;
  }

  #drop(at: number): void {
    const dropped = this.#answers[at]!;
    this.size--;
    for (let next = at; next < this.size; next++) this.#answers[next] = this.#answers[next + 1]!;
    this.#answers[this.size] = dropped;
  }
}
