import { loadCompetitor } from "../catalog.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { contract, type MetricsCompetitor, type Totals } from "./metrics.contract.ts";
import { ADDS, ADDS_PER_RECORD, DONE, type MetricsTask, READY, valuesOf } from "./metrics.examination.ts";

/** One worker of an examination: waits for the others, then adds and records; returns what it alone can tell, if so. */
export default async function work(task: MetricsTask): Promise<Totals | undefined> {
  const { url, memory, setup, index, gate, step } = task;
  const competitor = (await loadCompetitor(url, contract)) as MetricsCompetitor;
  const recorder = competitor.attach(memory, setup, workerIdentity(index, setup.workers, 1));
  const values = valuesOf(index, setup.range);
  Atomics.add(gate, READY, 1);
  Atomics.notify(gate, READY);
  for (let ready = Atomics.load(gate, READY); ready < setup.workers; ready = Atomics.load(gate, READY))
    Atomics.wait(gate, READY, ready);
  for (let done = 0; done < ADDS; done++) {
    recorder.add(step);
    if (done % ADDS_PER_RECORD === 0) recorder.record(values[done / ADDS_PER_RECORD]!);
  }
  Atomics.add(gate, DONE, 1);
  return recorder.own?.();
}
