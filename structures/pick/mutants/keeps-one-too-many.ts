import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: its pool has room for one answer more than it claims. */
export const breaks = "answersAreBounded";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "new Pool(mostKept(backends), inFlights)",
    "new Pool(mostKept(backends) + 1, inFlights)",
  ])),
  summary: "mutant: a pool with room for one more",
} satisfies PickCompetitor;
