import honest from "../competitors/lemire.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: every word serves two draws. Each value is as likely as the others, and known in advance every other time. */
export const breaks = "drawsFollowWords";

export default {
  ...honest,
  summary: "mutant: one word for two draws",

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
} satisfies DrawsCompetitor;
