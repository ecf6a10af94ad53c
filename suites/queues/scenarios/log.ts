import { once } from "node:events";
import { devNull } from "node:os";
import { Worker } from "node:worker_threads";
import { type DestinationStream, pino } from "pino";
import framesRing from "../../../structures/queues/competitors/frames-ring.ts";
import { attachProducer, createQueue, type Queue } from "../../../structures/queues/queue.exports.ts";
import type { QueuesCompetitor } from "../../../structures/queues/queues.contract.ts";
import { survey } from "../../shared/vocabulary.ts";
import { atRate, processCpuUs, saidBy, threadCpuUs } from "../other-thread.ts";

/**
 * `none`: lines are made and go nowhere. `transport`: pino's own, over thread-stream. `post`: each line is posted. `queue`: the
 * lines are frames of createQueue.
 */
const WAYS = { none: "No writer", transport: "pino.transport", post: "postMessage", queue: "Queue" } as const;
type Way = keyof typeof WAYS;

/** What the writing thread is started with. */
export interface LogTask {
  readonly way: "post" | "queue";
  readonly queue: Queue<"frames">;
}

interface Params {
  readonly lines: number;
  readonly perSecond: number;
}

/** What a posted log ends with. */
export const LAST = "";
const LONGEST = 2 ** 14;
const ROOM = 2 ** 20;
const COMPETITOR = "frames-ring";

/** Where lines go, and how all of them get there: resolves to how many came, or undefined where nobody counts them. */
interface Written {
  readonly destination: DestinationStream;
  end(): Promise<number | undefined>;
}

export default survey<QueuesCompetitor, Params>({
  scenario: "log",
  title:
    "a server that logs 20,000 lines a second with pino, and a thread that writes them; the queue is frames-ring",
  headline: false,
  baseline: COMPETITOR,
  competitors: [COMPETITOR],
  absent: ({ summary }) => (summary === framesRing.summary ? undefined : "createQueue takes another here"),
  params: { full: { lines: 60_000, perSecond: 20_000 }, smoke: { lines: 100, perSecond: 20_000 } },
  metrics: {
    ...Object.fromEntries(
      Object.entries(WAYS).flatMap(([way, title]) => [
        [`${way}Server`, { title: `${title}: server`, unit: "us/line", digits: 2 }],
        [`${way}All`, { title: `${title}: all threads`, unit: "% of a core", digits: 1 }],
      ]),
    ),
    missing: { title: "Missing", unit: "lines", digits: 0 },
  },
  secondsPerFork: 14,
  async run(_competitor, { lines, perSecond }) {
    const metrics: Record<string, number> = { missing: 0 };
    for (const way of Object.keys(WAYS) as Way[]) {
      const { destination, end } = await OPEN[way]();
      const logger = pino({ base: null }, destination);
      const log = (number: number) =>
        logger.info(
          { number, method: "GET", path: "/cart/17/items", status: 200, ms: 4.5 },
          "request completed",
        );
      // What is compiled first is no part of it.
      await atRate(perSecond, lines / 10, log);
      const [serverUs, allUs, begunMs] = [threadCpuUs(), processCpuUs(), performance.now()];
      await atRate(perSecond, lines, log);
      metrics[`${way}Server`] = (threadCpuUs() - serverUs) / lines;
      metrics[`${way}All`] = (processCpuUs() - allUs) / (performance.now() - begunMs) / 10;
      const came = await end();
      metrics.missing! += came === undefined ? 0 : lines + lines / 10 - came;
    }
    return metrics;
  },
  law: (_competitor, _params, { missing }) =>
    missing === 0 ? undefined : `once: ${missing} lines were logged and not written`,
});

const OPEN: Readonly<Record<Way, () => Promise<Written>>> = {
  none: async () => ({ destination: { write() {} }, end: async () => undefined }),

  async transport() {
    // Its thread does not keep the process alive.
    const alive = setInterval(() => {}, 1000);
    const destination = pino.transport({ target: "pino/file", options: { destination: devNull } });
    await once(destination, "ready");
    return {
      destination,
      async end() {
        destination.end();
        await once(destination, "close");
        clearInterval(alive);
        return undefined;
      },
    };
  },

  async post() {
    const thread = await started("post");
    return {
      destination: { write: (line) => thread.worker.postMessage(line) },
      end: () => thread.ended(() => thread.worker.postMessage(LAST)),
    };
  },

  async queue() {
    const thread = await started("queue");
    const producer = attachProducer(thread.queue, 0);
    return {
      destination: { write: (line) => void (producer.trySend(line) || producer.sendSync(line)) },
      end: () => thread.ended(() => producer.close()),
    };
  },
};

async function started(way: LogTask["way"]) {
  const queue = createQueue({ frames: LONGEST, capacity: ROOM });
  const workerData: LogTask = { way, queue };
  const worker = new Worker(new URL("../log.worker.ts", import.meta.url), { workerData });
  await saidBy(worker);
  return {
    queue,
    worker,
    async ended(close: () => void): Promise<number> {
      const said = saidBy<{ readonly lines: number }>(worker);
      close();
      const { lines } = await said;
      await worker.terminate();
      return lines;
    },
  };
}
