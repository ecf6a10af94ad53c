import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: goes by latency alone: what is overloaded and still quick gets still more. */
export const breaks = "coldIsPreferred";

export default {
  ...(await mutated<PickCompetitor>(
    import.meta.resolve("../competitors/hot-cold-probes.ts"),
    ["const isHot = one.inFlight > hotAbove;", "const isHot = false;"],
    ["if (isHot !== two.inFlight > hotAbove) return !isHot;", ""],
  )),
  summary: "mutant: the least latency, hot or cold",
} satisfies PickCompetitor;
