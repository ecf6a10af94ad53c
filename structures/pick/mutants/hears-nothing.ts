import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: probes, and keeps no answer: every pick is by chance. */
export const breaks = "overloadedAreSpared";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "pool.keep(backend, inFlight, latency, nowMs, uses);",
    "",
  ])),
  summary: "mutant: answers are dropped",
} satisfies PickCompetitor;
