import { parentPort, workerData } from "node:worker_threads";
import { loadCompetitor } from "../../catalog.ts";
import type { Region } from "../../shared/layout.ts";
import { contract, type Lock, type LockCompetitor } from "../locks.contract.ts";
import { attachLock, type LockInstance } from "../locks.instance.ts";

/** What a worker is asked to do that is terminated in the middle of its work, while it holds the lock. */
export interface BusyHolder {
  readonly url: string;
  readonly instance: LockInstance;
  readonly index: number;
  /** One word, which it raises as long as it runs. */
  readonly writes: Region;
}

/** Too long to be over by chance, in ms. A runtime that ends no loop has to wait for it. */
const BUSY_MS = 500;

const { url, instance, index, writes } = workerData as BusyHolder;
const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
(attachLock(competitor, instance, index) as Lock).lock();
parentPort!.postMessage("holds it");
for (const end = Date.now() + BUSY_MS; Date.now() < end; ) Atomics.add(writes, 0, 1);
