import { availableParallelism } from "node:os";
import { loadCompetitor } from "../catalog.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { playClients, type SlotsReport, type SlotsTask } from "./slots.examination.ts";

/** One worker of an examination: does its parts, each together with the others, and returns its notes. */
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
 * Looks at the gate before sleeping there. The work between two rests lasts no longer than waking a thread, so a
 * sleeper would come too late for it. But where workers outnumber cores, a long look keeps other workers off the core
 * that it waits for.
 */
function mostLooks(workers: number): number {
  return workers <= availableParallelism() ? 100_000 : 1_000;
}
