import { mutated } from "../../shared/mutated.ts";
import type { OwnershipCompetitor } from "../ownership.contract.ts";

/** Mutant: forgets what ends before the watermark, and keeps room for what ends at it. */
export const breaks = "roomIsGivenBack";

export default {
  ...(await mutated<OwnershipCompetitor>(import.meta.resolve("../competitors/seqlock-slots.ts"), [
    "if (!isBefore(kept, memory[slot + END]!)) {",
    "if (isBefore(memory[slot + END]!, kept)) {",
  ])),
  summary: "mutant: a range that ends at the watermark takes up room",
} satisfies OwnershipCompetitor;
