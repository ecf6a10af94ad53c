import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import type { QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import { attachSender, makeQueue, type QueueInstance } from "../../structures/queues/queues.instance.ts";
import {
  allocateDoubles,
  allocateRegion,
  type Region,
  STRIDE_WORDS,
} from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { atRate, saidBy } from "./other-thread.ts";

/** What one thread of a pool is started with. */
export interface PoolTask {
  readonly competitorUrl: string;
  /** Where it takes tasks, in this order. */
  readonly queues: readonly { readonly instance: QueueInstance; readonly consumer: number }[];
  /** A word that is raised when a task comes: the thread sleeps on it. */
  readonly bell: { readonly words: Region; readonly at: number };
  /** By task, in ns of the process's clock from `epochNs` on. */
  readonly doneNs: Float64Array;
  readonly epochNs: bigint;
}

/** `one`: a queue for all threads. `each`: one for each, in turn. `stealing`: the same, and idle threads look at all. */
export type Arrangement = "one" | "each" | "stealing";

export interface PoolParams {
  readonly tasks: number;
  readonly perSecond: number;
  readonly threads: number;
}

/** How long each task takes, in us: 50 in the mean. Of uneven ones most are short, and one in fifty takes 2 ms. */
export function durations(isUneven: boolean, count: number, seed: number): number[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => (isUneven ? (random.below(50) === 0 ? 2000 : 10) : 50));
}

const CAPACITY = 2 ** 13;

/** From when each task was handed to the pool until it was done, in us. */
export async function poolTimes(
  competitor: QueuesCompetitor,
  competitorUrl: string,
  arrangement: Arrangement,
  us: readonly number[],
  { perSecond, threads }: PoolParams,
): Promise<number[]> {
  const isOne = arrangement === "one";
  const consumers = arrangement === "each" ? 1 : threads;
  const setup = { capacity: CAPACITY, longest: 2, producers: 1, consumers };
  const instances = Array.from({ length: isOne ? 1 : threads }, () => makeQueue(competitor, setup));
  const words = allocateRegion(threads * STRIDE_WORDS);
  const doneNs = allocateDoubles(us.length);
  const epochNs = process.hrtime.bigint();
  const bellOf = (index: number) => (arrangement === "each" ? index * STRIDE_WORDS : 0);
  const workers = Array.from({ length: threads }, (_, index) => {
    const own = instances[index % instances.length]!;
    const others = arrangement === "stealing" ? instances.filter((instance) => instance !== own) : [];
    const workerData: PoolTask = {
      ...{ competitorUrl, doneNs, epochNs },
      queues: [own, ...others].map((instance) => ({ instance, consumer: consumers === 1 ? 0 : index })),
      bell: { words, at: bellOf(index) },
    };
    return new Worker(new URL("./pool.worker.ts", import.meta.url), { workerData });
  });
  await Promise.all(workers.map((worker) => saidBy(worker)));
  const senders = instances.map((instance) => attachSender(competitor, instance, 0));
  const ring = (index: number, sleepers: number) => {
    Atomics.add(words, bellOf(index), 1);
    Atomics.notify(words, bellOf(index), sleepers);
  };
  const handedNs: number[] = [];
  const ends = Promise.all(workers.map((worker) => saidBy(worker)));
  await atRate(perSecond, us.length, (task) => {
    handedNs.push(Number(process.hrtime.bigint() - epochNs));
    senders[task % senders.length]!.send(Int32Array.of(task, us[task]!));
    ring(task % threads, 1);
  });
  for (const sender of senders) sender.close();
  for (let index = 0; index < threads; index++) ring(index, threads);
  await ends;
  await Promise.all(workers.map((worker) => worker.terminate()));
  return handedNs.map((ns, task) => (doneNs[task]! - ns) / 1e3);
}

/** The same of Piscina alone: its own queue, and a message for each task and each answer. */
export async function piscinaTimes(
  us: readonly number[],
  { perSecond, threads }: PoolParams,
): Promise<number[]> {
  const filename = fileURLToPath(new URL("./pool-work.ts", import.meta.url));
  const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
  await pool.run({ us: 0 });
  const handedNs: bigint[] = [];
  const runs: Promise<number>[] = [];
  await atRate(perSecond, us.length, (task) => {
    handedNs.push(process.hrtime.bigint());
    runs.push(pool.run({ us: us[task] }) as Promise<number>);
  });
  const doneNs = await Promise.all(runs);
  await pool.destroy();
  return doneNs.map((ns, task) => (ns - Number(handedNs[task]!)) / 1e3);
}
