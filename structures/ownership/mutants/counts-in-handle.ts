import honest, { watermarksOf } from "../competitors/dense-timeline.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";
import { WATERMARK_WORDS } from "../parts/watermark.ts";

/**
 * Counts in its handle how often the ring was cleared. All is well until another worker takes over, whose count is
 * behind: it writes an epoch that stood there before, and what it has cleared counts as not cleared.
 */
export default {
  ...honest,
  summary: "mutant: a ring whose writer keeps the epoch to itself",

  attach(memory, capacity): Ownership {
    const timeline = honest.attach(memory, capacity);
    const [watermark] = watermarksOf(memory);
    let epoch = 0;
    return {
      ...timeline,
      trim(to) {
        const isRaised = to > watermark.load();
        timeline.trim(to);
        if (isRaised) Atomics.store(memory, EPOCH_OF_CLEARED, ++epoch);
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "answersFollowClaims";

const EPOCH_OF_CLEARED = WATERMARK_WORDS;
