import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/**
 * Maps random words of 32 bits onto 0 .. bound - 1: the step behind every random pick and shuffle.
 *
 * The caller passes the words in as a function. All competitors then race over one generator and differ in the
 * mapping alone. Tests can feed a mapping any words they like, so they examine the code that is raced. The price is a
 * call per word, the same for all. It always calls the same code, so the engine inlines it.
 *
 * A **word** is an int32, read as its 32 bits. For a given bound, every word is either mapped to one value, always the
 * same, or rejected. A draw is the value of the next word that is not rejected, and keeps nothing for the draws after
 * it. How even the draws are is therefore a matter of counting: how many of the 2^32 words map to each value.
 */
export interface DrawsCompetitor extends Traits {
  /**
   * The most by which a value's probability differs from 1 / bound, as a share of 1 / bound, when all words are
   * equally likely. 0: every value is exactly as likely as every other.
   */
  biasBound(bound: number): number;
  /** Why this mapping cannot serve `bound`, in a few words; undefined where it can. All serve powers of two. */
  refuses(bound: number): string | undefined;
  /**
   * Draws below `bound` from the words that `nextWord` returns. Throws a RangeError unless `bound` is an integer in
   * 1 .. LARGEST_BOUND that is not refused.
   */
  attach(nextWord: NextWord, bound: number): Draws;
}

/** The next 32 random bits, as an int32. */
export type NextWord = () => number;

/** Not to be passed to another thread. */
export interface Draws {
  /** An integer in 0 .. bound - 1. */
  draw(): number;
}

/** The product of a 32-bit word and this bound is the largest that a double holds exactly, 53 bits. */
export const LARGEST_BOUND = 2 ** 21;

/** The check that every `attach` starts with. Throws the RangeError that it promises. */
export function assertServed(bound: number, refusal: string | undefined): void {
  if (!(Number.isInteger(bound) && bound >= 1 && bound <= LARGEST_BOUND))
    throw new RangeError(`bound ${bound} is not an integer in 1 .. ${LARGEST_BOUND}`);
  if (refusal !== undefined) throw new RangeError(`bound ${bound} is refused: ${refusal}`);
}

export const contract = {
  question: "How is a random word turned into a number below a bound, fast and without favourites?",
  oracle: "rejection-modulo",
  fields: {
    biasBound: "function",
    refuses: "function",
    attach: "function",
  },
  optional: {},
  footprint: ({ biasBound }) =>
    `nothing shared; ${
      biasBound(1000) === 0
        ? "exactly uniform"
        : `at 1,000 off by at most ${biasBound(1000).toExponential(1)} of a share`
    }`,
} satisfies Contract<DrawsCompetitor>;
