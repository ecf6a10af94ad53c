import honest from "../competitors/unsigned-modulo.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: uses six bits of the word, and 64 is no multiple of 7: one value comes up ten times where the others do nine. */
export const breaks = "countsAreUniform";

export default {
  ...honest,
  summary: "mutant: remainder of six bits",
  attach: (nextWord, bound) => honest.attach(() => nextWord() & 0x3f, bound),
} satisfies DrawsCompetitor;
