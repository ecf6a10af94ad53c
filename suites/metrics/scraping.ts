import { once } from "node:events";
import { setTimeout as pass } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { MetricsCompetitor, MetricsSetup, Totals } from "../../structures/metrics/metrics.contract.ts";
import { allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import type { Instruments, Metric } from "../shared/vocabulary.ts";

/** How long it takes until one thread has the counts of all workers, as when it answers Prometheus. */
export interface ScrapeParams {
  /** Scrapes of idle workers, and as many of busy ones. */
  readonly scrapes: number;
  /** Busy workers work this long at a time, and rest as long. */
  readonly stretchMs: number;
}

/** What each worker is started with. */
export interface ScrapedTask {
  readonly url: string;
  readonly memory: Region;
  readonly setup: MetricsSetup;
  readonly index: number;
}

/** What each worker has counted before it is ready. */
export const ADDS = 1_000;
export const LATENCY_S = 0.01;

/** Two cores have them and the reader. */
const SETUP: MetricsSetup = { workers: 2, range: { from: 0.0001, to: 100, error: 1 / 32 } };

/** What is compiled while scraping is not part of it. */
const REHEARSALS = 50;
const NS_PER_US = 1000;

export const METRICS = {
  idle: { title: "Idle p50", unit: "us", digits: 1 },
  busy: { title: "Busy p50", unit: "us", digits: 1 },
  busyMax: { title: "Busy max", unit: "us", digits: 1, over: "greatest" },
} satisfies Record<string, Metric>;

export async function scrape(
  competitor: MetricsCompetitor,
  { scrapes, stretchMs }: ScrapeParams,
  seed: number,
  { competitorUrl, nowNs }: Instruments,
): Promise<Record<keyof typeof METRICS, number>> {
  const memory = allocateRegion(competitor.words(SETUP));
  competitor.format(memory, SETUP);
  const workers = Array.from({ length: SETUP.workers }, (_, index) => {
    const workerData: ScrapedTask = { url: competitorUrl, memory, setup: SETUP, index };
    return new Worker(new URL("./scraped.worker.ts", import.meta.url), { workerData });
  });
  try {
    await Promise.all(workers.map((worker) => once(worker, "message")));
    const collect = collectorOf(competitor, memory, workers);
    const random = new Random(seed);
    const timesUs = async (count: number) => {
      const times: number[] = [];
      for (let scraped = 0; scraped < count; scraped++) {
        // At any moment of a stretch.
        await pass(2 * stretchMs * random.fraction());
        const begunNs = nowNs();
        const totals = await collect();
        times.push((nowNs() - begunNs) / NS_PER_US);
        if (totals !== SETUP.workers * ADDS) throw new Error(`${totals} adds of ${SETUP.workers * ADDS}`);
      }
      return times.sort(ascending);
    };
    for (let rehearsed = 0; rehearsed < REHEARSALS; rehearsed++) await collect();
    const idle = await timesUs(scrapes);
    for (const worker of workers) worker.postMessage({ stretchMs });
    const busy = await timesUs(scrapes);
    return { idle: quantile(idle, 0.5), busy: quantile(busy, 0.5), busyMax: busy.at(-1)! };
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Brings everything that was counted here, and returns what was added. */
function collectorOf(
  { reader }: MetricsCompetitor,
  memory: Region,
  workers: readonly Worker[],
): () => Promise<number> {
  const read = reader?.(memory, SETUP);
  if (read !== undefined) return async () => read().count;
  return async () => {
    const answers = workers.map((worker) => once(worker, "message") as Promise<[Totals]>);
    for (const worker of workers) worker.postMessage("ask");
    return (await Promise.all(answers)).reduce((sum, [{ count }]) => sum + count, 0);
  };
}
