import { parentPort, workerData } from "node:worker_threads";
import type { PickCompetitor } from "../pick.contract.ts";
import type { BackgroundTask } from "../pick.instance.ts";

/** The thread beside the workers: does what they ask for, for as long as its process lives. */
const { url, memory, setup } = workerData as BackgroundTask;
const { default: competitor } = (await import(url)) as { default: PickCompetitor };
const work = competitor.background!.attach(memory, setup);
parentPort!.postMessage("attached");
for (;;) {
  work.sleep();
  work.step();
}
