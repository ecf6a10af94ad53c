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
  racing: PairRacing<Pair>,
): Promise<readonly (readonly Concluded[] | undefined)[]> {
  const time = new TimedRaces(racing);
  const firstEndMs = time.startMs + FIRST_SHARE * racing.budgetMs;
  const [first, second] = [new Map<number, Seen>(), new Map<number, Seen>()];
  const again = async (place: number, sharing: number, turn: string) => {
    const firstSeen = first.get(place);
    if (firstSeen === undefined || !areSuspect(firstSeen)) return;
    const seen = await time.race(pairs[place]!, { untilMs: time.endMs, sharing, turn, firstSeen });
    if (seen !== undefined) second.set(place, seen);
  };
  const atFirst = async (place: number, untilMs: number, sharing: number) => {
    const seen = await time.race(pairs[place]!, {
      untilMs,
      sharing,
      turn: `${place + 1} of ${pairs.length}`,
    });
    if (seen !== undefined) first.set(place, seen);
  };

  for (const place of pairs.keys()) await atFirst(place, firstEndMs, pairs.length - place);
  const suspects = [...first.keys()]
    .filter((place) => areSuspect(first.get(place)!))
    .sort((a, b) => lowOf(first.get(b)!) - lowOf(first.get(a)!));
  for (const [index, place] of suspects.entries())
    await again(place, suspects.length - index, `${index + 1} of ${suspects.length} again`);
  // What suspects have left is for the ones that have not raced.
  const late = [...pairs.keys()].filter((place) => !first.has(place));
  for (const [index, place] of late.entries()) {
    await atFirst(place, time.endMs, late.length - index);
    await again(place, late.length - index, `${place + 1} of ${pairs.length} again`);
  }
  return pairs.map((_, place) =>
    first.get(place)?.map((one, role) => conclude(one, second.get(place)?.[role])),
  );
}

/** What a race of one pair showed, by role. */
type Seen = readonly SeenRace[];

/** How long a pair may race, and as what. */
interface Share {
  /** Its time is a share of what is left until then. */
  readonly untilMs: number;
  /** Among how many pairs. */
  readonly sharing: number;
  readonly turn: string;
  /** What its first race showed, where this is the second. */
  readonly firstSeen?: Seen;
}

/** Races pairs while there is time. */
class TimedRaces<Pair> {
  readonly startMs: number;
  readonly endMs: number;
  readonly #racing: PairRacing<Pair>;
  readonly #now: () => number;
  #races = 0;
  /** Of all that raced: what was lost or not raced at all says nothing of the pace. */
  #tookMs = 0;
  #processes = 0;

  constructor(racing: PairRacing<Pair>) {
    const { now = performance.now.bind(performance), budgetMs } = racing;
    this.#racing = racing;
    this.#now = now;
    this.startMs = now();
    this.endMs = this.startMs + budgetMs;
  }

  /** Undefined where the fewest processes would end too late. */
  async race(pair: Pair, { untilMs, sharing, turn, firstSeen }: Share): Promise<Seen | undefined> {
    const beginMs = this.#now();
    // A task that failed before it raced is only looked at again.
    const leastMs = firstSeen !== undefined && processesOf(firstSeen) === 0 ? 0 : this.#leastMs();
    if (this.#isAborted() || beginMs + leastMs > untilMs) return undefined;
    const shareEndMs = beginMs + (untilMs - beginMs) / sharing;
    const races = firstSeen === undefined ? 2 : 1;
    const usual = await this.#read(pair, { budgetMs: USUAL_SHARE * (shareEndMs - beginMs), races, turn });
    const leftMs = shareEndMs - this.#now();
    if (!usual.some(isUnclear) || this.#isAborted() || this.#leastMs() > leftMs) return usual;
    const how = { isCompiledAlike: true, turn: `${turn}, compiled alike` } as const;
    const alike = await this.#read(pair, { budgetMs: leftMs, races, ...how });
    return usual.map((one, role) => withSecondReading(one, alike[role]));
  }

  async #read(pair: Pair, turn: Omit<Turn, "leftMs" | "seed">): Promise<Seen> {
    const { race, seed } = this.#racing;
    const readMs = this.#now();
    const own = { leftMs: this.endMs - readMs, seed: derivedSeed(seed, this.#races++) };
    const seen = await race(pair, { ...turn, ...own });
    const processes = processesOf(seen);
    this.#processes += processes;
    if (processes > 0) this.#tookMs += this.#now() - readMs;
    return seen;
  }

  /** What the fewest processes of a task take, as far as tasks have raced; 0 before the first. */
  #leastMs(): number {
    return this.#processes === 0 ? 0 : (FEWEST_FORKS * this.#tookMs) / this.#processes;
  }

  #isAborted(): boolean {
    return this.#racing.signal?.aborted === true;
  }
}

/** How much slower it is at least. Without a race, both sides are far apart. */
function lowOf(seen: Seen): number {
  return Math.max(...seen.map(({ ratio }) => ratio?.low ?? Number.POSITIVE_INFINITY));
}

function processesOf(seen: Seen): number {
  return Math.max(...seen.map(({ processes }) => processes));
}
