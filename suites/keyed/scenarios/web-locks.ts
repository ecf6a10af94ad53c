import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { KeyedCompetitor } from "../../../structures/keyed/keyed.contract.ts";
import { nothingIsLost } from "../../../structures/keyed/keyed.laws.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../../../structures/shared/layout.ts";
import { survey } from "../../shared/vocabulary.ts";
import { setupOf } from "../requesting.ts";

interface Params {
  /** Of each worker. */
  readonly requests: number;
}

/** What one thread is asked to do; see ../awaiting.worker.ts. */
export interface AwaitingTask {
  readonly competitorUrl: string;
  readonly memory: Region;
  readonly counters: Region;
  /** One word: how many threads are ready. They start together when all are. */
  readonly gate: Region;
  readonly index: number;
  readonly workers: number;
  readonly keys: number;
  readonly requests: number;
}

const WORKERS = 2;
const NS_PER_US = 1e3;

export default survey<KeyedCompetitor, Params>({
  scenario: "web-locks",
  title: "an increment under a key, awaited by two threads",
  headline: false,
  baseline: "node-web-locks",
  competitors: ["node-web-locks", "striped-robust-futex", "striped-robust-fair"],
  params: { full: { requests: 100_000 }, smoke: { requests: 200 } },
  metrics: {
    many: { title: "1,024 keys", unit: "us/request", digits: 2 },
    hot: { title: "One key", unit: "us/request", digits: 2 },
    fairness: { title: "Fairness, one key", unit: "slowest / fastest", digits: 2 },
    counted: { title: "Counted", unit: "requests", digits: 0 },
  },
  async run(competitor, { requests }, _seed, { competitorUrl }) {
    const many = await awaitedBy(competitor, competitorUrl, requests, 1024);
    const hot = await awaitedBy(competitor, competitorUrl, requests, 1);
    return { many: many.us, hot: hot.us, fairness: hot.fairness, counted: many.counted + hot.counted };
  },

  law: (_competitor, { requests }, { counted }) =>
    nothingIsLost({ requests: 2 * WORKERS * requests, counted: counted! }),
});

/** The time that a thread waits for a request, the mean of all; and how much slower one thread was than the other. */
async function awaitedBy(competitor: KeyedCompetitor, competitorUrl: string, requests: number, keys: number) {
  const memory = allocateRegion(competitor.words(setupOf(WORKERS)));
  competitor.format(memory, setupOf(WORKERS));
  const counters = allocateRegion(keys * STRIDE_WORDS);
  const task = { competitorUrl, memory, counters, gate: allocateRegion(1), workers: WORKERS, keys, requests };
  const elapsedNs = await Promise.all(
    Array.from({ length: WORKERS }, async (_, index) => {
      const workerData = { ...task, index } satisfies AwaitingTask;
      const worker = new Worker(new URL("../awaiting.worker.ts", import.meta.url), { workerData });
      const ended = once(worker, "exit").then(() => {
        throw new Error("a thread ended before its requests did");
      });
      const [ns] = (await Promise.race([once(worker, "message"), ended])) as [number];
      ended.catch(() => {});
      await worker.terminate();
      return ns;
    }),
  );
  let counted = 0;
  for (let key = 0; key < keys; key++) counted += counters[key * STRIDE_WORDS]!;
  const totalNs = elapsedNs.reduce((sum, ns) => sum + ns, 0);
  return {
    us: totalNs / WORKERS / requests / NS_PER_US,
    fairness: Math.min(...elapsedNs) / Math.max(...elapsedNs),
    counted,
  };
}
