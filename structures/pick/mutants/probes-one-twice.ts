import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: draws the backends of a pick's probes with replacement. */
export const breaks = "probesAreSpread";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "while (asked.includes(backend, unasked)) backend = draw();",
    "",
  ])),
  summary: "mutant: a pick may probe one backend twice",
} satisfies PickCompetitor;
