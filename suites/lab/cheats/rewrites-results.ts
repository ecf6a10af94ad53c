import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { Crew } from "../../engine/measure/fork/crew.ts";

/** A cheat: it imports the instrument, and doubles there what its crew has done. */
const { result } = Crew.prototype;
Crew.prototype.result = async function (this: Crew) {
  const all = await result.call(this);
  if (all.name !== "rewrites-results") return all;
  const workers = all.workers.map((worker) => ({
    ...worker,
    operations: worker.operations.map((n) => 2 * n),
  }));
  return { ...all, workers };
};

export default { ...honest, summary: "changes the instrument" } satisfies PickCompetitor;
