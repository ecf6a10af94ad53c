import { Random } from "../../shared/sfc32.ts";
import type { PickCompetitor, Picker, PickSetup } from "../pick.contract.ts";
import { makePicker, membersOf, type PickInstance } from "../pick.instance.ts";
import type { LoadsSeen, PickWork } from "../pick.laws.ts";

/**
 * Pickers without a clock: the real competitors, driven by one thread that plays all workers in turn. The result is the
 * same on every machine. For the questions whose answer is a count: which backends get the heavy requests, what a
 * change of members does, what happens when a counter wraps.
 */

/** Requests that a worker has in flight before it waits for the oldest: for pickers that use load. */
const REQUESTS_UNDER_WAY = 8;

/** The requests that one worker picked and not yet released, oldest first. */
export class UnderWay {
  /** Requests in here now. */
  count = 0;
  readonly #backends = new Int32Array(REQUESTS_UNDER_WAY);
  #picks = 0;

  /** Adds a request and returns the one that is done by now, or undefined while there is room. */
  exchange(backend: number): number | undefined {
    const at = this.#picks++ % REQUESTS_UNDER_WAY;
    const done = this.#backends[at]!;
    this.#backends[at] = backend;
    if (this.count === REQUESTS_UNDER_WAY) return done;
    this.count++;
    return undefined;
  }

  /** Of each request in here, in no order. */
  get backends(): Int32Array {
    return this.#backends.subarray(0, this.count);
  }
}

/** What is no index at all (undefined, a fraction) must not be mistaken for backend 0 by an Int32Array. */
export function checkedIndex(backend: number): number {
  return Number.isInteger(backend) ? backend : -1;
}

/** A picker for each worker of an instance, for one thread that plays them all; `step` plays the thread beside them. */
export function played(
  competitor: PickCompetitor,
  { memory, setup }: PickInstance,
): { readonly pickers: readonly Picker[]; step(): void } {
  const { workers, seed } = setup;
  const pickers = Array.from({ length: workers }, (_, index) =>
    competitor.attach(memory, setup, {
      index,
      workers,
      role: "worker",
      seed: new Random(seed, index).below(2 ** 21),
    }),
  );
  const background = competitor.background?.attach(memory, setup);
  return { pickers, step: background === undefined ? () => {} : () => background.step() };
}

/** Workers and the thread beside them, played by the caller. */
export class PlayedCrew {
  readonly instance: PickInstance;
  /** Requests picked and not released, by backend: counted here, whatever the picker says. */
  readonly inFlight: number[];
  readonly #competitor: PickCompetitor;
  readonly #members: { picker: Picker; underWay: UnderWay; picks: number; checksum: number }[];
  readonly #step: () => void;

  /** Formats the competitor for `setup`, over words that all hold `leftover`, and attaches as many workers as it says. */
  constructor(competitor: PickCompetitor, setup: PickSetup, leftover = 0) {
    this.#competitor = competitor;
    this.instance = makePicker(competitor, setup, leftover);
    this.inFlight = new Array<number>(setup.backends).fill(0);
    const { pickers, step } = played(competitor, this.instance);
    this.#members = pickers.map((picker) => ({ picker, underWay: new UnderWay(), picks: 0, checksum: 0 }));
    this.#step = step;
  }

  /** The backend that this worker picks next. */
  pick(worker: number): number {
    const member = this.#members[worker]!;
    const { picker, underWay } = member;
    const backend = picker.pick();
    member.picks++;
    member.checksum = (member.checksum + backend) | 0;
    if (picker.release !== undefined) {
      this.inFlight[backend]!++;
      const done = underWay.exchange(backend);
      if (done !== undefined) {
        this.inFlight[done]!--;
        picker.release(done);
      }
    }
    this.#step();
    return backend;
  }

  /** What the laws look at. */
  work(): PickWork {
    const { memory, setup } = this.instance;
    return {
      setup,
      state: this.#competitor.inspect(memory, setup),
      perWorker: this.#members.map(({ picker, underWay, picks, checksum }) => ({
        picks,
        checksum,
        counters: {
          ...picker.counters?.(),
          ...(picker.release === undefined ? {} : { inFlight: underWay.count }),
        },
      })),
    };
  }
}

/** How a repeating request pattern is dealt: every `period`-th request of the crew is heavy. */
export interface ResonanceSeen {
  /** Heavy requests that each backend got. */
  readonly heavy: readonly number[];
  /** Load of the busiest backend over the mean load. */
  readonly maxOverMean: number;
}

/** What a heavy request costs, the others costing 1: the source of the figures in the facts that this is checked against. */
export const HEAVY_COST = 10;

/** Deals `requests` requests to the crew's workers in turn and adds up what each backend had to do. */
export function resonance(
  competitor: PickCompetitor,
  setup: PickSetup,
  period: number,
  requests: number,
): ResonanceSeen {
  const crew = new PlayedCrew(competitor, setup);
  const heavy = new Array<number>(setup.backends).fill(0);
  const load = new Array<number>(setup.backends).fill(0);
  for (let request = 0; request < requests; request++) {
    const backend = crew.pick(request % setup.workers);
    const isHeavy = request % period === 0;
    if (isHeavy) heavy[backend]!++;
    load[backend]! += isHeavy ? HEAVY_COST : 1;
  }
  const total = load.reduce((sum, cost) => sum + cost, 0);
  return { heavy, maxOverMean: (Math.max(...load) * setup.backends) / total };
}

/** How a backend that leaves and comes back affected the backends that stayed. */
export interface MembershipSeen {
  /** Words of the two new instances for the changes, padding included; 0 for a picker that has `members`. */
  readonly newWords: number;
  /** Picks that are no index of the members there were at the time: such a request reaches no backend. */
  readonly strays: number;
  /** Most picks minus fewest picks, among the backends that stayed, over everything. */
  readonly gap: number;
  /**
   * Picks of stayers beyond their first in the rotation's worth of picks around the leaving, and around the coming
   * back.
   */
  readonly repeated: number;
  /** Stayers that were not picked in the former, and in the latter. */
  readonly missed: number;
  /** Picks from the coming back to the newcomer's first; more than there are if it got none. */
  readonly newcomerWait: number;
}

/**
 * A backend leaves in the middle of a rotation and comes back in the middle of another. A picker that has `members` is
 * notified. For any other a new region is formatted for the new members, and the workers attach to it before their next
 * pick. Nothing is lost or picked twice by that itself; what breaks is the rotation.
 */
export function membership(
  competitor: PickCompetitor,
  setup: PickSetup,
  picksPerPhase: number,
): MembershipSeen {
  const { backends, workers, seed } = setup;
  const leaver = new Random(seed).below(backends);
  const all = Array.from({ length: backends }, (_, index) => index);
  const phases = [all, all.filter((backend) => backend !== leaver), all];
  const history: number[][] = [];
  let newWords = 0;
  let strays = 0;
  const change = changeOf(competitor, setup);
  for (const [phase, members] of phases.entries()) {
    const changed = change(members, phase);
    newWords += changed.newWords;
    const picked = Array.from({ length: picksPerPhase }, (_, pick) => {
      const backend = changed.pick(pick % workers);
      return members.includes(backend) ? backend : STRAY;
    });
    strays += picked.filter((backend) => backend === STRAY).length;
    history.push(picked);
  }

  const counts = new Array<number>(backends).fill(0);
  for (const backend of history.flat()) if (backend !== STRAY) counts[backend]!++;
  const stayers = all.filter((backend) => backend !== leaver);
  const stayed = stayers.map((backend) => counts[backend]!);
  let repeated = 0;
  let missed = 0;
  for (const change of [1, 2]) {
    const half = Math.floor(backends / 2);
    const around = [...history[change - 1]!.slice(-half), ...history[change]!.slice(0, backends - half)];
    for (const backend of stayers) {
      const times = around.filter((picked) => picked === backend).length;
      if (times === 0) missed++;
      repeated += Math.max(0, times - 1);
    }
  }
  const first = history[2]!.indexOf(leaver);
  return {
    newWords,
    strays,
    gap: Math.max(...stayed) - Math.min(...stayed),
    repeated,
    missed,
    newcomerWait: first === -1 ? picksPerPhase + 1 : first,
  };
}

/** Brings a picker to the members of each phase: what that takes in words, and what a worker picks from then on. */
type Change = (
  members: readonly number[],
  phase: number,
) => { readonly newWords: number; pick(worker: number): number };

function changeOf(competitor: PickCompetitor, setup: PickSetup): Change {
  if (competitor.members !== undefined) {
    const crew = new PlayedCrew(competitor, setup);
    const { weights, change } = membersOf(competitor, crew.instance);
    return (members) => {
      change(weights().map((_, backend) => [backend, members.includes(backend) ? 1 : 0]));
      return { newWords: 0, pick: (worker) => crew.pick(worker) };
    };
  }
  return (members, phase) => {
    // A new seed each time, because a balancer that starts again shuffles again.
    const seed = setup.seed + phase;
    const crew = new PlayedCrew(competitor, { ...setup, backends: members.length, seed });
    return {
      newWords: phase === 0 ? 0 : competitor.words(crew.instance.setup),
      pick: (worker) => members[crew.pick(worker)] ?? STRAY,
    };
  };
}

/** Stands in a history for a pick that is not a backend: it keeps its place there. */
const STRAY = -1;

/** Picks between two looks at the loads: far more than are in flight at once. */
const LOOKS_AT_LOADS = 4_000;

/**
 * Every worker has as many requests in flight as it may, and the busiest backend is looked at after each pick. Beside
 * it stand the same counters for random picks whose requests last as long.
 */
export function loads(competitor: PickCompetitor, setup: PickSetup, leftover = 0): LoadsSeen {
  const { backends, workers, seed } = setup;
  const crew = new PlayedCrew(competitor, setup, leftover);
  const random = new Random(seed);
  const inFlightByChance = new Array<number>(backends).fill(0);
  const underWay: number[] = [];
  let [excess, excessByChance] = [0, 0];
  for (let pick = 0; pick < LOOKS_AT_LOADS; pick++) {
    crew.pick(pick % workers);
    const backend = random.below(backends);
    inFlightByChance[backend]!++;
    if (underWay.push(backend) > workers * REQUESTS_UNDER_WAY) inFlightByChance[underWay.shift()!]!--;
    const mean = underWay.length / backends;
    excess += Math.max(...crew.inFlight) - mean;
    excessByChance += Math.max(...inFlightByChance) - mean;
  }
  return { excess, excessByChance };
}
