import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: workers that are evenly apart from backend 0 on, in every instance. */
export const breaks = "instancesBeginApart";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/per-worker-round-robin-offset.ts"), [
    "(new Random(seed).below(backends) + apart) % backends",
    "apart",
  ])),
  summary: "mutant: the first worker of every instance begins at backend 0",
} satisfies PickCompetitor;
