import { like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import { bounded } from "../shared/sfc32.ts";
import { assertServed, type DrawsCompetitor } from "./draws.contract.ts";
import { type DrawsCode, mappingIn } from "./parts/wasm.ts";

const TABLE: Mutants<DrawsCompetitor> = {
  /** Multiply-shift without rejection that claims to be exact, one word in four thousand million notwithstanding. */
  "claims-exact": like("multiply-shift", "biasIsWithinClaim", () => ({ biasBound: () => 0 })),
  /** Draws once and counts from there. Each value comes as often as any other, and each is known in advance. */
  "counts-up": like("lemire", "drawsAreIndependent", (honest) => ({
    attach(nextWord, bound) {
      const { draw } = honest.attach(nextWord, bound);
      let next = draw();
      return {
        draw() {
          next = next + 1 === bound ? 0 : next + 1;
          return next;
        },
      };
    },
  })),
  /** Every word serves two draws. Each value is as likely as the others, and known in advance every other time. */
  "draws-twice": like("lemire", "drawsFollowWords", (honest) => ({
    attach(nextWord, bound) {
      const { draw } = honest.attach(nextWord, bound);
      let kept: number | undefined;
      return {
        draw() {
          const value = kept ?? draw();
          kept = kept === undefined ? value : undefined;
          return value;
        },
      };
    },
  })),
  /**
   * Bounds its retries by taking the remainder of the second word, come what may. Each word alone is mapped or
   * rejected as it should be; the draws that needed a second favour the low values.
   */
  "gives-up-rejecting": like("rejection-mask", "drawsFollowWords", () => ({
    attach(nextWord, bound) {
      assertServed(bound, undefined);
      const mask = 2 ** (32 - Math.clz32(bound - 1)) - 1;
      return {
        draw() {
          const value = nextWord() & mask;
          return value < bound ? value : (nextWord() & mask) % bound;
        },
      };
    },
  })),
  /** Shuffles the words before it maps them. It may be as good as it claims; nobody can count whether it is. */
  "mixes-first": like("multiply-shift", "biasIsCounted", (honest) => ({
    attach: (nextWord, bound) => honest.attach(() => Math.imul(nextWord(), 0x9e3779b1), bound),
  })),
  /** Takes the bound for inclusive and subtracts one, so that the last value never comes up. */
  "never-the-last": like("multiply-shift", "meanIsUniform", (honest) => ({
    attach: (nextWord, bound) => honest.attach(nextWord, bound > 1 ? bound - 1 : bound),
  })),
  /** Serves no bound at all, and so breaks no promise about any. */
  "refuses-all": like("power-of-two-mask", "powersOfTwoAreServed", () => ({
    refuses: () => "serves nothing",
  })),
  /** Says that it serves powers of two only, and hands out draws below any number, half of the values missing. */
  "serves-anyway": like("power-of-two-mask", "badBoundsAreRefused", () => ({
    attach: (nextWord, bound) => ({ draw: () => nextWord() & (bound - 1) }),
  })),
  /** The remainder of the word as it comes, which is negative for every other word. */
  "signed-remainder": like("unsigned-modulo", "drawsAreInRange", (honest) => ({
    attach: (nextWord, bound) => {
      honest.attach(nextWord, bound);
      return { draw: () => nextWord() % bound };
    },
  })),
  /** Uses six bits of the word, and 64 is no multiple of 7: one value comes up ten times where the others do nine. */
  "six-bits": like("unsigned-modulo", "countsAreUniform", (honest) => ({
    attach: (nextWord, bound) => honest.attach(() => nextWord() & 0x3f, bound),
  })),
  /** Takes the threshold from the largest word, 2^32 - 1, instead of from the number of words. */
  "threshold-off-by-one": like("lemire", "biasIsWithinClaim", () => ({
    attach(nextWord, bound) {
      assertServed(bound, undefined);
      const threshold = 0xffffffff % bound;
      return {
        draw() {
          let word = nextWord();
          while (Math.imul(word, bound) >>> 0 < threshold) word = nextWord();
          return bounded(word, bound);
        },
      };
    },
  })),
  /** Rejects the word at the threshold, too, in WebAssembly: one value has a word less than the others. */
  "wasm-rejects-one-too-many": like("wasm-lemire", "biasIsWithinClaim", async () => ({
    attach: mappingIn(
      await mutatedCode<DrawsCode>(import.meta.resolve("./parts/draws.wat"), [["i32.lt_u", "i32.le_u"]]),
    ),
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
