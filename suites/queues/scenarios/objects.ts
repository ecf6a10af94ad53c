import { serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import framesRing from "../../../structures/queues/competitors/frames-ring.ts";
import { attachProducer, createQueue, type Queue } from "../../../structures/queues/queue.exports.ts";
import type { QueuesCompetitor } from "../../../structures/queues/queues.contract.ts";
import { survey } from "../../shared/vocabulary.ts";
import { processCpuUs, saidBy } from "../other-thread.ts";
import { type Entry, entryOf, Schema, sumOf } from "../records.ts";

/** `clone`: posted as they are. The others are frames: text in JSON, bytes of v8.serialize, or of a schema. */
const WAYS = {
  clone: "Posted",
  json: "JSON",
  serialized: "v8.serialize",
  schema: "A schema's bytes",
} as const;
type Way = keyof typeof WAYS;

/** What the other thread is started with. */
export interface ObjectsTask {
  readonly way: Way;
  readonly count: number;
  readonly queue: Queue<"frames">;
}

/** Bytes of an object at most, and of the queue. */
export const LONGEST = 1024;
const ROOM = 2 ** 18;
const COMPETITOR = "frames-ring";

export default survey<QueuesCompetitor, { readonly count: number }>({
  scenario: "objects",
  title:
    "small objects to a thread that awaits them: structured clone beside frames of createQueue, which is frames-ring here",
  headline: false,
  baseline: COMPETITOR,
  competitors: [COMPETITOR],
  absent: ({ summary }) => (summary === framesRing.summary ? undefined : "createQueue takes another here"),
  params: { full: { count: 100_000 }, smoke: { count: 100 } },
  metrics: {
    ...Object.fromEntries(
      Object.entries(WAYS).flatMap(([way, title]) => [
        [`${way}Ns`, { title, unit: "ns/object", digits: 0 }],
        [`${way}Cpu`, { title: `${title}: CPU`, unit: "us/object", digits: 2 }],
      ]),
    ),
    wrong: { title: "Wrong", unit: "ways", digits: 0 },
  },
  secondsPerFork: 4,
  async run(_competitor, { count }) {
    const metrics: Record<string, number> = { wrong: 0 };
    for (const way of Object.keys(WAYS) as Way[]) {
      const { ns, cpuUs, isRight } = await passed(way, count);
      if (!isRight) metrics.wrong!++;
      metrics[`${way}Ns`] = ns / count;
      metrics[`${way}Cpu`] = cpuUs / count;
    }
    return metrics;
  },
  law: (_competitor, _params, { wrong }) =>
    wrong === 0
      ? undefined
      : `whole: in ${wrong} ways, the objects that came do not add up to those that were sent`,
});

/** Passes that number of objects on, from this thread to another. */
async function passed(way: Way, count: number) {
  const queue = createQueue({ frames: LONGEST, capacity: ROOM });
  const workerData: ObjectsTask = { way, count, queue };
  const thread = new Worker(new URL("../objects.worker.ts", import.meta.url), { workerData });
  await saidBy(thread);
  const producer = attachProducer(queue, 0);
  const schema = new Schema(LONGEST);
  const encode: Record<Exclude<Way, "clone">, (entry: Entry) => string | Uint8Array> = {
    json: (entry) => JSON.stringify(entry),
    serialized: (entry) => serialize(entry),
    schema: (entry) => schema.encode(entry),
  };
  const [beganUs, beganNs] = [processCpuUs(), process.hrtime.bigint()];
  const said = saidBy<number>(thread);
  let sum = 0;
  for (let id = 0; id < count; id++) {
    const entry = entryOf(id);
    sum += sumOf(entry);
    if (way === "clone") thread.postMessage(entry);
    else producer.sendSync(encode[way](entry));
  }
  const received = await said;
  const [ns, cpuUs] = [Number(process.hrtime.bigint() - beganNs), processCpuUs() - beganUs];
  await thread.terminate();
  return { ns, cpuUs, isRight: received === sum };
}
