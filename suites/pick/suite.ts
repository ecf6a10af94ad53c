import {
  crossing,
  HEAVY_COST,
  membership,
  resonance,
  UnderWay,
} from "../../structures/pick/parts/simulation.ts";
import type { PickCompetitor, Picker } from "../../structures/pick/pick.contract.ts";
import { makeInstance, type PickInstance, startBackground } from "../../structures/pick/pick.instance.ts";
import {
  gapIsBounded,
  patternsAreBroken,
  totalsAreRight,
  type WorkerPicks,
} from "../../structures/pick/pick.laws.ts";
import {
  CPU_TIME,
  type Metric,
  type Runner,
  race,
  type Sizes,
  type Suite,
  simulation,
  type WorkDone,
} from "../engine/suite.ts";
import { LOCAL_WORKS, workedOn } from "../shared/local-work.ts";

/**
 * Question: which backend takes the next request, when many workers ask at once?
 * Workload: every worker picks as fast as it can, for N backends that do not change. A real balancer does other work
 *   between picks, so this is the worst case of contention; its one-worker rows are the best case. `after` is in between:
 *   each worker works by itself for 0.1, 1 or 10 us before it picks; the floor's row shows what the work alone costs. The
 *   simulations ask what a clock cannot tell: who gets the heavy requests of a repeating pattern, what a change of
 *   members breaks, what a counter does when it wraps.
 * Not measured: the work behind a pick, and its effect on caches; workers that pick at different rates.
 * How to run: npm run bench -- pick
 */

/** The source's own baseline: its table gives every method's ratio to the synchronised random generator. */
const BASELINE = "locked-random";

/** Why a picker is raced at 8 backends only. */
const NOTHING_PER_BACKEND = "a pick neither reads per backend nor divides by their number, see uniform-8";

const COLUMNS = {
  casFailures: { title: "CAS failures", unit: "per pick", reduce: "per-op" },
  parks: { title: "Parks", unit: "per pick", reduce: "per-op" },
  cpu: CPU_TIME,
} as const;

/** Pairs of backends and period that share a factor, all of it or a part. */
const PATTERNS = [
  { backends: 8, period: 8 },
  { backends: 8, period: 4 },
  { backends: 8, period: 6 },
  { backends: 7, period: 7 },
] as const;

export default {
  primitive: "pick",
  scenarios: [
    uniform(8, { headline: true }),
    // 8 backends make the remainder a mask for an engine that looks; 7 do not.
    uniform(7, { headline: false }),
    uniform(64, { headline: false }),
    uniform(1000, { headline: false }),
    besideAnother(7),
    ...LOCAL_WORKS.map((work) => afterWork(8, work)),
    weighted(),
    rebuild(1000),
    resonant("resonance", 1),
    resonant("resonance-4-workers", 4),
    comingAndGoing(),
    longRun(),
  ],
} satisfies Suite;

interface Params {
  readonly backends: number;
  /** Whether the program has another balancer, for another number of backends. */
  readonly besideAnother?: true;
  /** Local work before each pick, in rounds; none if absent. */
  readonly rounds?: number;
  readonly weights?: readonly number[];
}

function uniform(backends: number, { headline }: { headline: boolean }) {
  return picking({
    scenario: `uniform-${backends}`,
    title: `one of ${backends} equal backends`,
    headline,
    baseline: BASELINE,
    params: both({ backends }),
    absent(competitor, params) {
      if (backends !== 8 && !competitor.dependsOnBackends) return NOTHING_PER_BACKEND;
      return competitor.refuses?.(params);
    },
  });
}

/**
 * The same where the program has a second balancer. An engine that has met one number of backends only takes it for a
 * constant and divides by it with a multiplication; a server with several upstreams has no such luck.
 */
function besideAnother(backends: number) {
  return picking({
    scenario: `uniform-${backends}-of-two`,
    title: `one of ${backends} equal backends, in a program that also balances over ${2 * backends}`,
    headline: false,
    baseline: BASELINE,
    params: both({ backends, besideAnother: true }),
    absent(competitor, params) {
      if (!competitor.dependsOnBackends) return NOTHING_PER_BACKEND;
      return competitor.refuses?.(params);
    },
  });
}

/** The same where each worker has other work to do between two picks. */
function afterWork(backends: number, { label, title, rounds, ...slices }: (typeof LOCAL_WORKS)[number]) {
  return picking({
    scenario: `uniform-${backends}-after-${label}`,
    title: `one of ${backends} equal backends, after ${title} of the worker's own work`,
    headline: false,
    baseline: BASELINE,
    params: both({ backends, rounds }),
    ...slices,
    absent(competitor, params) {
      if (competitor.variantOf !== undefined) return `a variant: see uniform-${backends}`;
      return competitor.refuses?.(params);
    },
  });
}

function weighted() {
  return picking({
    scenario: "weighted-8",
    title: "one of 8 backends that weigh 1 to 8",
    headline: false,
    // The textbook, and the most even order that weights can have.
    baseline: "smooth-weighted",
    params: both({ backends: 8, weights: [5, 1, 1, 3, 2, 8, 1, 4] }),
    absent: ({ shareBound }) => (shareBound === undefined ? "it ignores weights" : undefined),
  });
}

interface Picking {
  readonly scenario: string;
  readonly title: string;
  readonly headline: boolean;
  readonly baseline: string;
  readonly params: Sizes<Params>;
  readonly sliceMs?: number;
  absent(competitor: PickCompetitor, params: Params): string | undefined;
}

function picking(described: Picking) {
  return race<PickCompetitor, Params, PickInstance>({
    ...described,
    operation: "pick",
    columns: COLUMNS,
    placement: ({ background }) => (background === undefined ? "arena" : "own"),

    prepare(competitor, { params, workers, seed, fork }) {
      const firstTicket = startOf(competitor, params.backends, fork);
      const instance = makeInstance(competitor, { ...params, seed, firstTicket, workers });
      // It will have started by the time all crews are warm.
      void startBackground(competitor, instance);
      return instance;
    },

    attach(competitor, { params }, { memory, setup }, seat) {
      if (params.besideAnother) {
        const other = makeInstance(competitor, { ...setup, backends: 2 * params.backends });
        runnerOf(competitor.attach(other.memory, other.setup, seat)).run(OTHER_PICKS);
      }
      const picker = competitor.attach(memory, setup, seat);
      return params.rounds === undefined ? runnerOf(picker) : workingRunner(picker, params.rounds, seat.seed);
    },

    law(competitor, _setup, { memory, setup }, work) {
      return totalsAreRight(competitor, {
        setup,
        state: competitor.inspect(memory, setup),
        perWorker: work.map(asPicks),
      });
    },
  });
}

function runnerOf(picker: Picker): Runner {
  const counters = picker.counters === undefined ? {} : { counters: picker.counters };
  if (picker.pickMany !== undefined) return { run: picker.pickMany, ...counters };
  if (picker.release !== undefined) return releasingRunner(picker as Required<Picker>);
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) sum = (sum + picker.pick()) | 0;
      return sum;
    },
    ...counters,
  };
}

/** A picker by load is told when requests are done: each worker always has a few under way. */
function releasingRunner(picker: Picker): Runner {
  const underWay = new UnderWay();
  return {
    run(operations) {
      let sum = 0;
      for (let count = 0; count < operations; count++) {
        const backend = picker.pick();
        const done = underWay.exchange(backend);
        if (done !== undefined) picker.release!(done);
        sum = (sum + backend) | 0;
      }
      return sum;
    },
    counters: () => ({ ...picker.counters?.(), inFlight: underWay.count }),
  };
}

/** One operation is the work and the pick. What was picked goes into the next work, which so waits for it. */
function workingRunner(picker: Picker, rounds: number, seed: number): Runner {
  const releases = picker.release !== undefined;
  const underWay = new UnderWay();
  // In an array, because an engine boxes what a closure keeps beyond the range of its small integers.
  const kept = Int32Array.of(seed | 1);
  return {
    run(operations) {
      let worked = kept[0]!;
      let sum = 0;
      for (let count = 0; count < operations; count++) {
        worked = workedOn(worked, rounds);
        const backend = picker.pick();
        if (releases) {
          const done = underWay.exchange(backend);
          if (done !== undefined) picker.release!(done);
        }
        worked ^= backend;
        sum = (sum + backend) | 0;
      }
      kept[0] = worked;
      return sum;
    },
    counters: () => ({ ...picker.counters?.(), ...(releases ? { inFlight: underWay.count } : {}) }),
  };
}

/** Picks from the other balancer: one would do to end the folding, the rest makes it sure. */
const OTHER_PICKS = 1000;

function asPicks({ operations, checksum, counters }: WorkDone): WorkerPicks {
  return { picks: operations, checksum, counters };
}

/** Picks before the wrap at which a fork starts: few enough that its warm-up crosses it. */
const BELOW_WRAP = 20_000;

/**
 * Forks take turns to start at the first ticket, as a server does, and below each of the wrap points, so that warm-up
 * runs both sides of one: an engine may compile a picker's arithmetic for small integers and meet a cliff when they end.
 * A picker with a cliff differs between forks, which its standard deviation shows.
 */
function startOf(competitor: PickCompetitor, backends: number, fork: number): number {
  const wraps = [2 ** 31, 2 ** 32, ...competitor.wrapPoints(backends)];
  const starts = [0, ...wraps.map((wrap) => wrap - BELOW_WRAP)];
  return starts[fork % starts.length]!;
}

/** A round robin of 1000 backends at a line each, and as much again. */
const MOST_WORDS_TO_REBUILD = 64_000;

/**
 * What a change of members costs the one who makes it: the region is formatted for the new members, one worker attaches
 * to it and picks once. By turns with one backend less and with all.
 */
function rebuild(backends: number) {
  return race<PickCompetitor, Params, readonly PickInstance[]>({
    scenario: `rebuild-${backends}`,
    title: `a new instance for a change of members, ${backends} backends`,
    operation: "rebuild",
    // Forty rebuilds of 0.1 to 0.25 ms.
    sliceMs: 10,
    headline: false,
    // The least that a round robin can have: a rotation and a position.
    baseline: "locked-round-robin",
    mostWorkers: 1,
    params: both({ backends }),
    absent(competitor, params) {
      if (competitor.order === "none") return "a floor has no members";
      if (!competitor.dependsOnBackends) return "its instance is the same for any number of backends";
      if (competitor.words({ backends, seed: 0, firstTicket: 0, workers: 1 }) > MOST_WORDS_TO_REBUILD)
        return "its rebuild is the making of an artificial memory layout";
      return competitor.refuses?.(params) ?? competitor.refuses?.({ backends: backends - 1 });
    },

    prepare(competitor, { params, workers, seed }) {
      return [params.backends - 1, params.backends].map((members) =>
        makeInstance(competitor, { backends: members, seed, firstTicket: 0, workers }),
      );
    },

    attach(competitor, _setup, instances, seat) {
      let rebuilds = 0;
      let last = { picked: 0, counters: {} as Readonly<Record<string, number>> };
      return {
        run(operations) {
          let sum = 0;
          for (let done = 0; done < operations; done++) {
            const { memory, setup } = instances[rebuilds++ & 1]!;
            competitor.format(memory, setup);
            const picker = competitor.attach(memory, setup, seat);
            const picked = picker.pick();
            sum = (sum + picked) | 0;
            if (done === operations - 1) last = { picked, counters: { ...picker.counters?.() } };
          }
          return sum;
        },
        counters: () => ({ ...last.counters, lastPick: last.picked }),
      };
    },

    // The instance that was made last has had one pick, and everything that a picker's words can show of one is there.
    law(competitor, _setup, instances, [work]) {
      const { operations, counters } = work!;
      const { memory, setup } = instances[(operations - 1) & 1]!;
      const perWorker = [{ picks: 1, checksum: counters.lastPick!, counters: { ...counters, inFlight: 1 } }];
      return totalsAreRight(competitor, { setup, state: competitor.inspect(memory, setup), perWorker });
    },
  });
}

function resonant(scenario: string, workers: number) {
  const metrics: Record<string, Metric> = Object.fromEntries(
    PATTERNS.map(({ backends, period }) => [
      `load${backends}by${period}`,
      { title: `N=${backends}, every ${period}th`, unit: "max/mean", digits: 2 },
    ]),
  );
  return simulation<PickCompetitor, { requests: number }>({
    scenario,
    title: `load of the busiest backend when every P-th request costs ${HEAVY_COST}, ${workers === 1 ? "one worker" : `${workers} workers in turn`}`,
    headline: workers === 1,
    baseline: BASELINE,
    params: { full: { requests: 168_000 }, smoke: { requests: 16_800 } },
    metrics,
    absent: (competitor) => notSimulated(competitor) ?? competitor.refuses?.({ backends: 7 }),

    run(competitor, { requests }, seed) {
      const seen = PATTERNS.map(({ backends, period }) => ({
        key: `load${backends}by${period}`,
        ...resonance(competitor, { backends, seed, firstTicket: 0, workers }, period, requests),
      }));
      return {
        metrics: Object.fromEntries(seen.map(({ key, maxOverMean }) => [key, maxOverMean])),
        series: Object.fromEntries(seen.map(({ key, heavy }) => [key, heavy])),
      };
    },

    law(competitor, _params, { series }) {
      if (!competitor.breaksPatterns) return undefined;
      return Object.values(series)
        .map(patternsAreBroken)
        .find((sentence) => sentence !== undefined);
    },
  });
}

/** A backend of 8 leaves and comes back, each time in the middle of a rotation. */
function comingAndGoing() {
  return simulation<PickCompetitor, { picksPerPhase: number }>({
    scenario: "membership",
    title: "one of 8 backends leaves and comes back in mid-rotation, 4 workers",
    headline: false,
    baseline: "locked-round-robin",
    // 3 more than a multiple of 8, and no multiple of 7: both changes cut a rotation.
    params: { full: { picksPerPhase: 10_003 }, smoke: { picksPerPhase: 1_003 } },
    metrics: {
      newWords: { title: "Both new instances", unit: "words", digits: 0 },
      repeated: { title: "Second picks within a rotation of either change", unit: "picks", digits: 0 },
      missed: { title: "Not picked within a rotation of either change", unit: "backends", digits: 0 },
      gap: { title: "Gap of those who stayed", unit: "picks", digits: 0 },
      newcomerWait: { title: "Newcomer's first pick after", unit: "picks", digits: 0 },
      strays: { title: "Picks of nobody", unit: "picks", digits: 0 },
    },
    absent: (competitor) => notSimulated(competitor) ?? competitor.refuses?.({ backends: 7 }),
    run(competitor, { picksPerPhase }, seed) {
      const seen = membership(competitor, { backends: 8, seed, firstTicket: 0, workers: 4 }, picksPerPhase);
      return { metrics: { ...seen }, series: {} };
    },
    law: (_competitor, _params, { metrics }) =>
      metrics.strays === 0 ? undefined : `picksAreInRange: ${metrics.strays} picks were of no member`,
  });
}

/** Both ends of what 32 bits can count. */
function longRun() {
  const wraps = { "31": 2 ** 31, "32": 2 ** 32 };
  return simulation<PickCompetitor, { picksEachSide: number }>({
    scenario: "long-run",
    title: "one of 7 backends, from below ticket 2^31, and 2^32, to above it",
    headline: false,
    baseline: "locked-round-robin",
    params: { full: { picksEachSide: 700_000 }, smoke: { picksEachSide: 7_000 } },
    metrics: Object.fromEntries(
      Object.keys(wraps).flatMap((power) => [
        [`gap${power}`, { title: `Gap across 2^${power}`, unit: "picks", digits: 0 }],
        [`early${power}`, { title: `Back before a rotation, 2^${power}`, unit: "picks", digits: 0 }],
      ]),
    ),
    absent(competitor) {
      if (competitor.tickets === "none" || competitor.order === "random")
        return "no counter decides its order";
      return notSimulated(competitor) ?? competitor.refuses?.({ backends: 7 });
    },

    run(competitor, { picksEachSide }, seed) {
      const metrics: Record<string, number> = {};
      for (const [power, wrap] of Object.entries(wraps)) {
        const { gap, early, work } = crossing(competitor, { backends: 7, seed }, wrap, picksEachSide);
        const broken =
          totalsAreRight(competitor, work) ??
          gapIsBounded([0, gap], competitor.gapBound(work.setup, 2 * picksEachSide, work.state));
        if (broken !== undefined) throw new Error(broken);
        metrics[`gap${power}`] = gap;
        metrics[`early${power}`] = early;
      }
      return { metrics, series: {} };
    },
    // Held to its laws while the picker is still at hand: metrics alone cannot show what they look at.
    law: () => undefined,
  });
}

function notSimulated({ unseeded, order }: PickCompetitor): string | undefined {
  if (order === "none") return "a floor picks nothing";
  return unseeded ? "it cannot be seeded" : undefined;
}

/** Parameters that are as small as they can be in both sizes. */
function both(params: Params): Sizes<Params> {
  return { full: params, smoke: params };
}
