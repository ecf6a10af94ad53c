import { loadCompetitor } from "../catalog.ts";
import { readCrewClock } from "../shared/crew-clock.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { contract, type LimitsCompetitor } from "./limits.contract.ts";
import type { LimitsTask } from "./limits.examination.ts";
import type { Grant } from "./limits.laws.ts";

/** One worker of an examination: takes one token at a time, together with the others, and returns its grants. */
export default async function work(task: LimitsTask): Promise<Grant[]> {
  const { url, memory, setup, index, gate, clock, takes = Number.POSITIVE_INFINITY } = task;
  const competitor = (await loadCompetitor(url, contract)) as LimitsCompetitor;
  const handle = competitor.attach(memory, setup, workerIdentity(index, setup.workers, 1));
  const nowNs = readCrewClock(clock);
  const grants: Grant[] = [];
  const note = (beganNs: number, isGranted: boolean) => {
    if (isGranted) grants.push({ beganNs, endedNs: nowNs() });
    return isGranted || takes !== Number.POSITIVE_INFINITY;
  };
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let present = 0; present < setup.workers; present = Atomics.load(gate, 0))
    if (present > 0) Atomics.wait(gate, 0, present);
  for (let taken = 0; taken < takes; taken++) {
    const beganNs = nowNs();
    const isGranted = "tryTakeAsync" in handle ? await handle.tryTakeAsync() : handle.tryTake();
    if (!note(beganNs, isGranted)) break;
  }
  return grants;
}
