import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: the rotation gets a new start in the middle of a cycle, after which backends come again and others are left
 * out.
 */
export const breaks = "cyclesAddUp";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/rotating-round-robin.ts"), [
    "hashed(cycle ^ salt)",
    "hashed(((ticket / (backends + Math.ceil(backends / 3))) | 0) ^ salt)",
  ])),
  summary: "mutant: rotated once in a third of a cycle more than a cycle",
} satisfies PickCompetitor;
