import { mutatedIn } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: all leases are of one size, which the backends divide: every worker begins at the same one. */
export const breaks = "workersBeginApart";

export default {
  ...(await mutatedIn<PickCompetitor>(
    "pick/parts/lease.ts",
    import.meta.resolve("../competitors/leased-tickets-16.ts"),
    ["let size = 1 + new Random(worker.seed).below(lease);", "let size = lease;"],
  )),
  summary: "mutant: leases that all begin at the same backend",
} satisfies PickCompetitor;
