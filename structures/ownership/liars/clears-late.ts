import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../dense-timeline.ts";
import { CONFLICT, NO_EVIDENCE, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Lets a lookup as far as the watermark's window reaches, which the trim has yet to clear: there the owner of a
 * window ago still stands.
 */
export default {
  ...honest,
  summary: "liar: a ring whose window opens at the top before it is cleared",

  attach(memory, capacity): Ownership {
    const { windowMs } = capacity;
    return {
      ...honest.attach(memory, capacity),
      ownerAt(resource, t) {
        const watermark = Atomics.load(memory, WATERMARK);
        if (t < watermark || t >= watermark + windowMs) return NO_EVIDENCE;
        const cell = Atomics.load(memory, STRIDE_WORDS + resource * windowMs + (t % windowMs));
        if (t < Atomics.load(memory, WATERMARK) || cell === UNCLAIMED) return NO_EVIDENCE;
        return cell === CLAIMED_BY_SEVERAL ? CONFLICT : cell - 1;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "seesSomeInstant";

const WATERMARK = 0;
const UNCLAIMED = 0;
const CLAIMED_BY_SEVERAL = -1;
