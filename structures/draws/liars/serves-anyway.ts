import type { DrawsCompetitor } from "../draws.contract.ts";
import honest from "../power-of-two-mask.ts";

/** Liar: says that it serves powers of two only, and hands out draws below any number, half of the values missing. */
export const breaks = "badBoundsAreRefused";

export default {
  ...honest,
  summary: "liar: a mask that does not look at its bound",
  attach: (nextWord, bound) => ({ draw: () => nextWord() & (bound - 1) }),
} satisfies DrawsCompetitor;
