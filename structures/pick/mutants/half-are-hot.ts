import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: takes the median of requests in flight for the limit of what is hot. */
export const breaks = "hotIsAboveShare";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "new RecentQuantile(CLAIMS.heardLast, CLAIMS.hotShare)",
    "new RecentQuantile(CLAIMS.heardLast, 0.5)",
  ])),
  summary: "mutant: hot above the median",
} satisfies PickCompetitor;
