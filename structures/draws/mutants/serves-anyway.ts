import honest from "../competitors/power-of-two-mask.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: says that it serves powers of two only, and hands out draws below any number, half of the values missing. */
export const breaks = "badBoundsAreRefused";

export default {
  ...honest,
  summary: "mutant: a mask that does not look at its bound",
  attach: (nextWord, bound) => ({ draw: () => nextWord() & (bound - 1) }),
} satisfies DrawsCompetitor;
