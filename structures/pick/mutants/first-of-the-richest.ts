import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: where several have the most credit it takes the one with the lowest number, in every instance. */
export const breaks = "instancesBeginApart";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/smooth-weighted.ts"), [
    "return new Random(seed).below(backends);",
    "return 0;",
  ])),
  summary: "mutant: credits that every instance begins to spend at backend 0",
} satisfies PickCompetitor;
