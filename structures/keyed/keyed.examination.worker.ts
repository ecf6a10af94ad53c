import { parentPort, workerData } from "node:worker_threads";
import { loadCompetitor } from "../catalog.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import { contract, type KeyedCompetitor } from "./keyed.contract.ts";
import { KEYS, type KeyedTask, SETUP, SHARE } from "./keyed.examination.ts";

/** One worker of an examination: counts under all keys in turn, by both kinds of request. */
const { url, memory, index, counters, dies } = workerData as KeyedTask;
const competitor = (await loadCompetitor(url, contract)) as KeyedCompetitor;
const locks = competitor.attach(memory, SETUP, workerIdentity(index, SETUP.workers, 1));

// A request that waits does not keep a thread alive everywhere.
const alive = setInterval(() => {}, 2 ** 31 - 1);
if (dies)
  await locks.request(KEYS[0], {}, () => {
    parentPort!.postMessage("holds it");
    return new Promise(() => {});
  });
/** What a holder that died left behind is whole. */
const mend = () => {};
for (let done = 0; done < SHARE; done++) {
  const of = done % KEYS.length;
  const count = () => {
    counters[of]!++;
  };
  if (done % 2 === 0 && locks.requestSync !== undefined) locks.requestSync(KEYS[of]!, count, { mend });
  else await locks.request(KEYS[of]!, { mend }, count);
}
clearInterval(alive);
