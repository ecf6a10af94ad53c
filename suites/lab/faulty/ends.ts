import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: ends the process while it is prepared, as if all were well. */
export default {
  ...honest,
  summary: "faulty: ends",
  format: () => process.exit(0),
} satisfies PickCompetitor;
