import { parentPort, workerData } from "node:worker_threads";
import { loadCompetitor } from "../../structures/catalog.ts";
import { contract, type MetricsCompetitor } from "../../structures/metrics/metrics.contract.ts";
import { workerIdentity } from "../../structures/shared/worker-identity.ts";
import { ADDS, LATENCY_S, type ScrapedTask } from "./scraping.ts";

/** A worker that has counted, and answers what it is asked between two stretches of other work. */
const { url, memory, setup, index } = workerData as ScrapedTask;
const competitor = (await loadCompetitor(url, contract)) as MetricsCompetitor;
const recorder = competitor.attach(memory, setup, workerIdentity(index, setup.workers, 1));
for (let done = 0; done < ADDS; done++) {
  recorder.add(1);
  recorder.record(LATENCY_S);
}

/** Of each stretch of work, and of the rest after it; 0 for no work. */
let stretchMs = 0;

parentPort!.on("message", (order: { readonly stretchMs: number } | "ask") => {
  if (order === "ask") {
    parentPort!.postMessage(recorder.own!());
    return;
  }
  stretchMs = order.stretchMs;
  work();
});
parentPort!.postMessage("ready");

function work(): void {
  if (stretchMs === 0) return;
  for (const until = performance.now() + stretchMs; performance.now() < until; );
  setTimeout(work, stretchMs);
}
