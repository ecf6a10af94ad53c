import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { observedSlots } from "../parts/observed-lookups.ts";

/** Believes what one pass over the slots has found, of which each may have been read at another time. */
export const breaks = "seesSomeInstant";

export default {
  ...(await observedSlots([
    "(br_if $again (i32.ne (i32.atomic.load (local.get $first)) (local.get $version))))\n    (local.get $found))",
    ")\n    (local.get $found))",
  ])),
  summary: "mutant: WebAssembly that reads slots without a second look at their version",
} satisfies OwnershipCompetitor;
