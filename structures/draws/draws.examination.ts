import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { contract, type Draws, type DrawsCompetitor, LARGEST_BOUND } from "./draws.contract.ts";
import {
  badBoundsAreRefused,
  biasIsCounted,
  biasIsWithinClaim,
  countsAreUniform,
  drawsAreIndependent,
  drawsAreInRange,
  drawsFollowWords,
  meanIsUniform,
  powersOfTwoAreServed,
} from "./draws.laws.ts";
import { mappingOf, takeCensus } from "./parts/census.ts";
import { randomWords } from "./parts/words.ts";

/** Every law of draws applied to one competitor. A competitor that passes is as good as the laws can show; each mutant must fail. */
export const examination = {
  tries: "the words that each value has, counted or sampled, at nine bounds from 1 to 2^21",
  examine: (url) => examined(url, contract, async (competitor: DrawsCompetitor) => lawsBroken(competitor)),
} satisfies Examination;

/**
 * Small bounds, as raced, where a scaling has few runs of words; and large ones, where masks have few. The bounds next
 * to a power of two are rejected least and most often.
 */
const BOUNDS = [1, 2, 3, 7, 8, 1000, 2 ** 20 + 1, LARGEST_BOUND - 1, LARGEST_BOUND];
const NO_BOUNDS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, LARGEST_BOUND + 1];

/** Around 0, and around the sign bit, where a word read as signed and the same word as unsigned part. */
const EDGE_WORDS = [0, 1, 2, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 2, 2 ** 32 - 1];
const RANDOM_WORDS = 2000;
/** Enough for chi-square to see that 64 is no multiple of 7, and to have 50 expected draws in each of the most cells. */
const DRAWS = 60_000;
const MOST_CELLS = 1024;
const SEED = 20_261_121;

function lawsBroken(competitor: DrawsCompetitor): (string | undefined)[] {
  const served = BOUNDS.filter((bound) => competitor.refuses(bound) === undefined);
  const refused = BOUNDS.filter((bound) => !served.includes(bound));
  const counted: number[] = [];
  const sentences = [
    powersOfTwoAreServed(refused),
    badBoundsAreRefused([...NO_BOUNDS, ...refused].filter((bound) => attaches(competitor, bound))),
  ];

  for (const bound of served) {
    const census = takeCensus(mappingOf(competitor, bound), bound);
    if (census !== undefined) {
      counted.push(bound);
      sentences.push(biasIsWithinClaim(census, bound, competitor.biasBound(bound)));
    }

    const anyWord = randomWords(SEED);
    const words = [
      ...EDGE_WORDS,
      ...(census?.rejected ?? []),
      ...Array.from({ length: RANDOM_WORDS }, () => anyWord() >>> 0),
    ];
    const values = words.map((word) => mappingOf(competitor, bound)(word));
    const inTurn = drawsOf(
      competitor.attach(inOrder(words), bound),
      values.filter((value) => value !== undefined).length,
    );
    sentences.push(drawsAreInRange(inTurn, bound), drawsFollowWords(inTurn, values));

    const drawn = drawsOf(competitor.attach(randomWords(SEED, bound), bound), DRAWS);
    sentences.push(drawsAreInRange(drawn, bound));
    sentences.push(meanIsUniform(bound, DRAWS, sumOf(drawn)));
    sentences.push(countsAreUniform(countsOf(drawn, bound)));
    sentences.push(drawsAreIndependent(Int32Array.from(drawn), bound));
  }
  sentences.push(biasIsCounted(served, counted));
  return sentences;
}

function attaches({ attach }: DrawsCompetitor, bound: number): boolean {
  try {
    attach(randomWords(SEED), bound);
    return true;
  } catch (error) {
    return !(error instanceof RangeError);
  }
}

/** The words one by one, then random ones for a mapping that takes more than it should. */
function inOrder(words: readonly number[]): () => number {
  const beyond = randomWords(SEED + 1);
  let next = 0;
  return () => (next < words.length ? words[next++]! | 0 : beyond());
}

function drawsOf(draws: Draws, count: number): number[] {
  return Array.from({ length: count }, () => draws.draw());
}

/** How many draws have each value; above MOST_CELLS, each stretch of values, of lengths too nearly equal to show. */
function countsOf(drawn: readonly number[], bound: number): number[] {
  const cells = Math.min(bound, MOST_CELLS);
  const counts = new Array<number>(cells).fill(0);
  for (const value of drawn) {
    const cell = Math.floor((value * cells) / bound);
    if (cell in counts) counts[cell]!++;
  }
  return counts;
}

/** As an int32, wrapping, like the checksum of a race. */
function sumOf(drawn: readonly number[]): number {
  return drawn.reduce((sum, value) => (sum + value) | 0, 0);
}
