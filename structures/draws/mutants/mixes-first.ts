import honest from "../competitors/multiply-shift.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: shuffles the words before it maps them. It may be as good as it claims; nobody can count whether it is. */
export const breaks = "biasIsCounted";

export default {
  ...honest,
  summary: "mutant: claims a bias that cannot be counted",
  attach: (nextWord, bound) => honest.attach(() => Math.imul(nextWord(), 0x9e3779b1), bound),
} satisfies DrawsCompetitor;
