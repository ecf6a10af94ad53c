import { mutated } from "../../shared/mutated.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/** Believes the cell without asking whether it was given to a later time between the first look and the cell. */
export const breaks = "seesSomeInstant";

export default {
  ...(await mutated<OwnershipCompetitor>(
    import.meta.resolve("../competitors/dense-timeline.ts"),
    ["if (!(t >= from &&", "if (!(t >= watermark.load() &&"],
    ["cell === UNCLAIMED || t < watermark.load()", "cell === UNCLAIMED"],
  )),
  summary: "mutant: a ring that looks at the watermark only before the cell",
} satisfies OwnershipCompetitor;
