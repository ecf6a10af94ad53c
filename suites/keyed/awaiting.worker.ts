import { parentPort, workerData } from "node:worker_threads";
import type { KeyedCompetitor } from "../../structures/keyed/keyed.contract.ts";
import { STRIDE_WORDS } from "../../structures/shared/layout.ts";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";
import { workerIdentity } from "../../structures/shared/worker-identity.ts";
import { namesOf, setupOf } from "./requesting.ts";
import type { AwaitingTask } from "./scenarios/web-locks.ts";

/** One of the threads of a survey: awaits its requests one after the other, and says how long that took. */
const { competitorUrl, memory, counters, gate, index, workers, keys, requests } = workerData as AwaitingTask;
const { default: competitor } = (await import(competitorUrl)) as { default: KeyedCompetitor };
// A request that waits does not keep a thread alive everywhere. It is ended once it has said how long it took.
setInterval(() => {}, 2 ** 31 - 1);
const worker = workerIdentity(index, workers, 1);
const locks = competitor.attach(memory, setupOf(workers), worker);
const names = namesOf({ keys });
const draws = new Int32Array(SFC32_WORDS);
seedSfc32(draws, 0, worker.seed);

Atomics.add(gate, 0, 1);
Atomics.notify(gate, 0);
for (let ready = 0; ready < workers; ready = Atomics.load(gate, 0)) Atomics.wait(gate, 0, ready);
const begunNs = process.hrtime.bigint();
for (let done = 0; done < requests; done++) {
  const key = nextSfc32(draws, 0) & (keys - 1);
  await locks.request(names[key]!, {}, () => {
    counters[key * STRIDE_WORDS]!++;
  });
}
parentPort!.postMessage(Number(process.hrtime.bigint() - begunNs));
