import honest, { cellsIn, watermarksOf } from "../competitors/dense-timeline.ts";
import { CONFLICT, NO_EVIDENCE, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/** Believes the cell without asking whether it was given to a later time between the first look and the cell. */
export default {
  ...honest,
  summary: "mutant: a ring that looks at the watermark only before the cell",

  attach(memory, capacity): Ownership {
    const [watermark, cleared] = watermarksOf(memory);
    const cellOf = cellsIn(capacity);
    return {
      ...honest.attach(memory, capacity),
      ownerAt(resource, t) {
        const from = cleared.load();
        if (!(t >= watermark.load() && t < from + capacity.windowMs)) return NO_EVIDENCE;
        const cell = Atomics.load(memory, cellOf(resource, t));
        if (cell === UNCLAIMED) return NO_EVIDENCE;
        return cell === CLAIMED_BY_SEVERAL ? CONFLICT : cell - 1;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "seesSomeInstant";

const UNCLAIMED = 0;
const CLAIMED_BY_SEVERAL = -1;
