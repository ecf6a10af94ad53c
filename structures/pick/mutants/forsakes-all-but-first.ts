import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: sends everything to backend 0 while all are ejected. */
export const breaks = "noBackendIsLeftOut";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/ejecting.ts",
    import.meta.resolve("../competitors/two-choices-ejecting.ts"),
    [
      "if (!ejections.isAnyOpen(nowMs)) return first;",
      "if (!ejections.isAnyOpen(nowMs)) { picker.release?.(first); picker.take?.(0); return 0; }",
    ],
  )),
  summary: "mutant: the first backend where all are ejected",
} satisfies PickCompetitor;
