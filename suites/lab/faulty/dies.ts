import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: takes the whole process with it. */
export default {
  ...honest,
  summary: "faulty: dies",
  attach: () => ({ pick: () => process.kill(process.pid, "SIGKILL") as never }),
} satisfies PickCompetitor;
