import { availableParallelism } from "node:os";
import { loadCompetitor } from "../catalog.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { playClients, type SlotsReport, type SlotsTask } from "./slots.examination.ts";

/** One worker of an examination: does its parts, each together with the others, and tells what it noted. */
export default async function work({ url, gate, ...task }: SlotsTask): Promise<SlotsReport> {
  const competitor = (await loadCompetitor(url, contract)) as SlotsCompetitor;
  let parts = 0;
  return playClients(competitor, task, () => {
    parts++;
    Atomics.add(gate, 0, 1);
    Atomics.notify(gate, 0);
    let looks = mostLooks(task.workers);
    for (let arrived = Atomics.load(gate, 0); arrived < parts * task.workers; ) {
      if (looks-- <= 0) Atomics.wait(gate, 0, arrived);
      arrived = Atomics.load(gate, 0);
    }
  });
}

/**
 * Looks at the gate before sleeping there. What is done between two rests lasts no longer than it takes to wake a thread,
 * which would come too late for it; but where workers outnumber cores, a worker that looks for long keeps those from a core that it
 * waits for.
 */
function mostLooks(workers: number): number {
  return workers <= availableParallelism() ? 100_000 : 1_000;
}
