import { parentPort, workerData } from "node:worker_threads";
import { loadCompetitor } from "../../catalog.ts";
import { contract, type PickCompetitor } from "../pick.contract.ts";
import type { BackgroundTask } from "../pick.instance.ts";

/** The thread beside the workers: does what they ask for, for as long as its process lives. */
const { url, memory, setup } = workerData as BackgroundTask;
const { background } = (await loadCompetitor(url, contract)) as PickCompetitor;
const work = background!.attach(memory, setup);
parentPort!.postMessage("attached");
for (;;) {
  work.sleep();
  work.step();
}
