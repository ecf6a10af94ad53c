import type { DrawsCompetitor } from "../draws.contract.ts";
import { randomWords } from "./words.ts";

/**
 * How many of the 2^32 words each value has, counted without trying every word.
 *
 * Mappings worth racing are regular. Seen in order from 0, their words form runs. A scaling gives one value to many
 * successive words. A remainder counts up from word to word and restarts at the bound. A rejection leaves out a
 * stretch. So the census takes a word and its neighbour for the beginning of a run and doubles the distance until a
 * word does not fit. It finds the last word that fits by bisection, and counts the whole run at once.
 *
 * The result is exact if the words inside a run fit as well. The words that the search met do, and so do some more
 * picked at random. Where one does not, or where there are too many runs to count in time, there is no census. What it
 * cannot see is a mapping that is regular but for a few words in the middle of a run.
 */
export interface Census {
  /** Words of the value that has fewest, and of the one that has most. */
  readonly fewest: number;
  readonly most: number;
  /** Words that are mapped to any value; the rest of the 2^32 is rejected. */
  readonly accepted: number;
  /** The first words of some of the runs that are rejected; none only if all words are accepted. */
  readonly rejected: readonly number[];
}

/** The value of a word, 0 .. 2^32 - 1; undefined if it is rejected. */
export type Mapping = (word: number) => number | undefined;

/**
 * What a competitor makes of single words, each put to the same draws, as those of WebAssembly take long to make. That none
 * depends on earlier ones is for `drawsFollowWords` to find: put each of its words to draws of their own.
 */
export function mappingOf({ attach }: DrawsCompetitor, bound: number): Mapping {
  const others = randomWords(OTHERS_SEED);
  let [asked, taken] = [0, 0];
  const draws = attach(() => (taken++ === 0 ? asked | 0 : others()), bound);
  return (word) => {
    [asked, taken] = [word, 0];
    const value = draws.draw();
    // A mapping that asks for another word has rejected the first.
    return taken > 1 ? undefined : value;
  };
}

/** undefined if the words do not form runs, or too many, or if a value is not in 0 .. bound - 1. */
export function takeCensus(mapping: Mapping, bound: number): Census | undefined {
  /** How much each value's count exceeds that of the value before. */
  const rises = new Float64Array(bound + 1);
  const rejected: number[] = [];
  const nextSpot = randomWords(SPOTS_SEED);
  let rotations = 0;

  for (let start = 0, runs = 0, length = 0; start < WORDS; start += length, runs++) {
    const first = mapping(start);
    if (runs === MOST_RUNS || !isExpected(first, bound)) return undefined;
    const counting = first !== undefined && mapping(start + 1) !== first;
    const fits = (offset: number) =>
      start + offset < WORDS && mapping(start + offset) === (counting ? (first + offset) % bound : first);

    length = lengthOfRun(fits);
    for (let spot = 0; spot < SPOTS && length > 2; spot++)
      if (!fits((nextSpot() >>> 0) % length)) return undefined;

    if (first === undefined) {
      if (rejected.length < REJECTED_SHOWN) rejected.push(start);
    } else if (counting) {
      // Whole rotations raise all values alike; the rest is a stretch from `first` that may go on from 0.
      rotations += Math.floor(length / bound);
      const end = first + (length % bound);
      rises[first]!++;
      rises[Math.min(end, bound)]!--;
      rises[0]! += end > bound ? 1 : 0;
      rises[Math.max(0, end - bound)]! -= end > bound ? 1 : 0;
    } else {
      rises[first]! += length;
      rises[first + 1]! -= length;
    }
  }

  let count = rotations;
  let accepted = 0;
  let fewest = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let value = 0; value < bound; value++) {
    count += rises[value]!;
    accepted += count;
    fewest = Math.min(fewest, count);
    most = Math.max(most, count);
  }
  return { fewest, most, accepted, rejected };
}

const WORDS = 2 ** 32;
/** A remainder by the next power of two that rejects has two runs in each of 2^11 rotations at the largest bounds. */
const MOST_RUNS = 5000;
const SPOTS = 32;
const REJECTED_SHOWN = 20;
const OTHERS_SEED = 1;
const SPOTS_SEED = 2;

/** Words from the start of a run that fit, if all that fit come before all that do not. */
function lengthOfRun(fits: (offset: number) => boolean): number {
  let inside = 0;
  let outside = 1;
  while (fits(outside)) {
    inside = outside;
    outside *= 2;
  }
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (fits(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}

function isExpected(value: number | undefined, bound: number): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 0 && value < bound);
}
