import { FEWEST_FORKS } from "../../measure/plan/timing.ts";
import { derivedSeed } from "../../words/random.ts";
import { type Concluded, conclude, type Seen } from "./verdicts.ts";

/** Races one task's two commits for up to this long, in ms, and at least in the fewest processes that can be judged. */
export type RacePair<Pair> = (
  pair: Pair,
  how: { readonly budgetMs: number; readonly seed: number; readonly turn: string },
) => Promise<Seen>;

export interface Racing<Pair> {
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
 * Races tasks one after the other, each for its share of the time that is left. What came out slower is raced again, the
 * clearest first. Returns what is concluded of each; undefined of a task that the time was not enough for. Stops when `signal`
 * aborts.
 */
export async function racePairs<Pair>(
  pairs: readonly Pair[],
  { race, budgetMs, seed, signal, now = performance.now.bind(performance) }: Racing<Pair>,
): Promise<readonly (Concluded | undefined)[]> {
  const startMs = now();
  const pace = new Pace();
  let races = 0;
  /** Undefined where the fewest processes would end after `endMs`. */
  const raceWithin = async (
    pair: Pair,
    endMs: number,
    sharing: number,
    turn: string,
  ): Promise<Seen | undefined> => {
    const beginMs = now();
    if (signal?.aborted === true || beginMs + pace.leastMs() > endMs) return undefined;
    const seen = await race(pair, {
      budgetMs: (endMs - beginMs) / sharing,
      seed: derivedSeed(seed, races++),
      turn,
    });
    pace.took(now() - beginMs, seen.processes);
    return seen;
  };

  const firstEndMs = startMs + FIRST_SHARE * budgetMs;
  const endMs = startMs + budgetMs;
  const [first, second] = [new Map<number, Seen>(), new Map<number, Seen>()];
  const keep = (into: Map<number, Seen>, place: number, seen: Seen | undefined) => {
    if (seen !== undefined) into.set(place, seen);
  };
  const isSuspect = (place: number) => first.get(place)?.verdict === "slower";

  for (const [place, pair] of pairs.entries()) {
    const turn = `${place + 1} of ${pairs.length}`;
    keep(first, place, await raceWithin(pair, firstEndMs, pairs.length - place, turn));
  }
  const suspects = [...first.keys()]
    .filter(isSuspect)
    .sort((a, b) => lowOf(first.get(b)!) - lowOf(first.get(a)!));
  for (const [index, place] of suspects.entries()) {
    const turn = `${index + 1} of ${suspects.length} again`;
    keep(second, place, await raceWithin(pairs[place]!, endMs, suspects.length - index, turn));
  }
  // What suspects have left is for the ones that have not raced.
  const late = [...pairs.keys()].filter((place) => !first.has(place));
  for (const [index, place] of late.entries()) {
    const turn = `${place + 1} of ${pairs.length}`;
    keep(first, place, await raceWithin(pairs[place]!, endMs, late.length - index, turn));
    if (isSuspect(place)) keep(second, place, await raceWithin(pairs[place]!, endMs, 1, `${turn} again`));
  }
  return pairs.map((_, place) => {
    const seen = first.get(place);
    return seen === undefined ? undefined : conclude(seen, second.get(place));
  });
}

/** How much slower it is at least. Without a race, both sides are far apart. */
function lowOf({ ratio }: Seen): number {
  return ratio?.low ?? Number.POSITIVE_INFINITY;
}

/** How long the fewest processes of a task take, as far as tasks have been raced. */
class Pace {
  #ms = 0;
  #processes = 0;

  took(ms: number, processes: number): void {
    this.#ms += ms;
    this.#processes += processes;
  }

  /** 0 before the first. */
  leastMs(): number {
    return this.#processes === 0 ? 0 : (FEWEST_FORKS * this.#ms) / this.#processes;
  }
}
