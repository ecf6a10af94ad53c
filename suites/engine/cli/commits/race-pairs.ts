import { FEWEST_FORKS } from "../../measure/plan/timing.ts";
import { derivedSeed } from "../../words/random.ts";
import {
  areSuspect,
  type Concluded,
  conclude,
  isUnclear,
  type SeenRace,
  withSecondReading,
} from "./verdicts.ts";

export interface Turn {
  /** Its share of the time that is left, in ms. */
  readonly budgetMs: number;
  /** All the time that is left, in ms. */
  readonly leftMs: number;
  /** How many races of this task have to fit into that, so that it can be called slower. */
  readonly races: 1 | 2;
  readonly seed: number;
  /** See `GroupPlan`. */
  readonly isCompiledAlike?: true;
  /** In words. */
  readonly turn: string;
}

/**
 * Races one task's two commits for its share, and at least in the fewest processes that can be judged. Shows each role that its
 * workers have.
 */
export type RacePair<Pair> = (pair: Pair, turn: Turn) => Promise<readonly SeenRace[]>;

export interface PairRacing<Pair> {
  readonly race: RacePair<Pair>;
  /** Time for all of it, in ms. */
  readonly budgetMs: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Milliseconds of a clock that does not go back. */
  readonly now?: () => number;
}

/**
 * The part of the budget that all tasks share before any is raced again. What they leave is for suspects too, and what these
 * leave for tasks that have not raced. A pull request that made everything slower needs only one second race to fail.
 */
const FIRST_SHARE = 2 / 3;

/**
 * The part of a race in which V8 compiles as it usually does. The rest is for a second reading, where the first is unclear. It
 * costs hardly any power where V8 draws nothing: of 364 planted differences of calibrations of November 26 two halves that
 * are judged so show 349, and all processes at once 351.
 */
const USUAL_SHARE = 1 / 2;

/**
 * Races tasks one after the other, each for its share of the time that is left. What came out slower or failed is raced again,
 * the clearest first. Returns what is concluded of each; undefined of a task that the time was not enough for. Stops when `signal`
 * aborts.
 */
export async function racePairs<Pair>(
  pairs: readonly Pair[],
  { race, budgetMs, seed, signal, now = performance.now.bind(performance) }: PairRacing<Pair>,
): Promise<readonly (readonly Concluded[] | undefined)[]> {
  const startMs = now();
  const pace = new Pace();
  let races = 0;
  const endMs = startMs + budgetMs;
  const isAborted = () => signal?.aborted === true;
  /** Undefined where the fewest processes would end after `untilMs`. */
  const raceWithin = async (
    pair: Pair,
    untilMs: number,
    sharing: number,
    turn: string,
    firstSeen?: readonly SeenRace[],
  ): Promise<readonly SeenRace[] | undefined> => {
    const beginMs = now();
    // A task that failed before it raced is only looked at again.
    const leastMs = firstSeen !== undefined && processesOf(firstSeen) === 0 ? 0 : pace.leastMs();
    if (isAborted() || beginMs + leastMs > untilMs) return undefined;
    const shareEndMs = beginMs + (untilMs - beginMs) / sharing;
    const reading = async (budgetMs: number, how: Pick<Turn, "isCompiledAlike" | "turn">) => {
      const readMs = now();
      const seen = await race(pair, {
        budgetMs,
        leftMs: endMs - readMs,
        races: firstSeen === undefined ? 2 : 1,
        seed: derivedSeed(seed, races++),
        ...how,
      });
      pace.took(now() - readMs, processesOf(seen));
      return seen;
    };
    const usual = await reading(USUAL_SHARE * (shareEndMs - beginMs), { turn });
    const leftMs = shareEndMs - now();
    if (!usual.some(isUnclear) || isAborted() || pace.leastMs() > leftMs) return usual;
    const alike = await reading(leftMs, { isCompiledAlike: true, turn: `${turn}, compiled alike` });
    return usual.map((one, role) => withSecondReading(one, alike[role]));
  };

  const firstEndMs = startMs + FIRST_SHARE * budgetMs;
  const [first, second] = [new Map<number, readonly SeenRace[]>(), new Map<number, readonly SeenRace[]>()];
  const keep = (
    into: Map<number, readonly SeenRace[]>,
    place: number,
    seen: readonly SeenRace[] | undefined,
  ) => {
    if (seen !== undefined) into.set(place, seen);
  };
  const again = async (place: number, sharing: number, turn: string) => {
    const seen = first.get(place);
    if (seen !== undefined && areSuspect(seen))
      keep(second, place, await raceWithin(pairs[place]!, endMs, sharing, turn, seen));
  };

  for (const [place, pair] of pairs.entries()) {
    const turn = `${place + 1} of ${pairs.length}`;
    keep(first, place, await raceWithin(pair, firstEndMs, pairs.length - place, turn));
  }
  const suspects = [...first.keys()]
    .filter((place) => areSuspect(first.get(place)!))
    .sort((a, b) => lowOf(first.get(b)!) - lowOf(first.get(a)!));
  for (const [index, place] of suspects.entries()) {
    const turn = `${index + 1} of ${suspects.length} again`;
    await again(place, suspects.length - index, turn);
  }
  // What suspects have left is for the ones that have not raced.
  const late = [...pairs.keys()].filter((place) => !first.has(place));
  for (const [index, place] of late.entries()) {
    const turn = `${place + 1} of ${pairs.length}`;
    keep(first, place, await raceWithin(pairs[place]!, endMs, late.length - index, turn));
    await again(place, late.length - index, `${turn} again`);
  }
  return pairs.map((_, place) => {
    const seen = first.get(place);
    const again = second.get(place);
    return seen?.map((one, role) => conclude(one, again?.[role]));
  });
}

/** How much slower it is at least. Without a race, both sides are far apart. */
function lowOf(seen: readonly SeenRace[]): number {
  return Math.max(...seen.map(({ ratio }) => ratio?.low ?? Number.POSITIVE_INFINITY));
}

function processesOf(seen: readonly SeenRace[]): number {
  return Math.max(...seen.map(({ processes }) => processes));
}

/** How long the fewest processes of a task take, as far as tasks have been raced. */
class Pace {
  #ms = 0;
  #processes = 0;

  /** What was lost or not raced at all says nothing of the pace. */
  took(ms: number, processes: number): void {
    if (processes === 0) return;
    this.#ms += ms;
    this.#processes += processes;
  }

  /** 0 before the first. */
  leastMs(): number {
    return this.#processes === 0 ? 0 : (FEWEST_FORKS * this.#ms) / this.#processes;
  }
}
