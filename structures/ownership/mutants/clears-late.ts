import { mutated } from "../../shared/mutated.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Lets a lookup as far as the watermark's window reaches, which the trim has yet to clear: there the owner of a
 * window ago still stands.
 */
export const breaks = "seesSomeInstant";

export default {
  ...(await mutated<OwnershipCompetitor>(import.meta.resolve("../competitors/dense-timeline.ts"), [
    "const from = cleared.load();",
    "const from = watermark.load();",
  ])),
  summary: "mutant: a ring whose window opens at the top before it is cleared",
} satisfies OwnershipCompetitor;
