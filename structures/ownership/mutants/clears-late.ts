import honest, { cellsIn, watermarksOf } from "../competitors/dense-timeline.ts";
import { CONFLICT, NO_EVIDENCE, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Lets a lookup as far as the watermark's window reaches, which the trim has yet to clear: there the owner of a
 * window ago still stands.
 */
export default {
  ...honest,
  summary: "mutant: a ring whose window opens at the top before it is cleared",

  attach(memory, capacity): Ownership {
    const [watermark] = watermarksOf(memory);
    const cellOf = cellsIn(capacity);
    return {
      ...honest.attach(memory, capacity),
      ownerAt(resource, t) {
        const from = watermark.load();
        if (!(t >= from && t < from + capacity.windowMs)) return NO_EVIDENCE;
        const cell = Atomics.load(memory, cellOf(resource, t));
        if (t < watermark.load() || cell === UNCLAIMED) return NO_EVIDENCE;
        return cell === CLAIMED_BY_SEVERAL ? CONFLICT : cell - 1;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "seesSomeInstant";

const UNCLAIMED = 0;
const CLAIMED_BY_SEVERAL = -1;
