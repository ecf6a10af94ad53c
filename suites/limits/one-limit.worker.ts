import { parentPort, workerData } from "node:worker_threads";
import { RateLimiterCluster } from "rate-limiter-flexible";
import { consumed } from "../../structures/limits/competitors/npm-rate-limiter-flexible.ts";
import { attachBuckets, type BucketsInstance } from "../../structures/limits/limits.instance.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { LIMIT, type Order, type Taken } from "./scenarios/one-limit.ts";

/**
 * One of the workers that keep one limit: a thread that shares buckets by key, or a process of a cluster that asks its primary.
 * It says that it is there, and answers each order.
 */
const take = parentPort === null ? byMessages() : bySharedMemory(workerData as BucketsInstance);

function bySharedMemory(instance: BucketsInstance) {
  const buckets = attachBuckets(instance);
  return async (user: string) => buckets.tryTake(user);
}

function byMessages() {
  const { capacity: points, perSecond } = LIMIT;
  const limiter = new RateLimiterCluster({ points, duration: points / perSecond, timeoutMs: 60_000 });
  return (user: string) => consumed(limiter, user);
}

async function taken({ of, users, underWay, most, forMs, seed }: Order): Promise<Taken> {
  const names = Array.from({ length: users }, (_, user) => `${of}/${user}`);
  const random = new Random(seed);
  let [takes, granted] = [0, 0];
  const cpu = process.cpuUsage();
  const endMs = performance.now() + forMs;
  const one = async () => {
    while (takes < most && performance.now() < endMs) {
      takes++;
      if (await take(names[random.below(users)]!)) granted++;
    }
  };
  await Promise.all(Array.from({ length: underWay }, one));
  const { user, system } = process.cpuUsage(cpu);
  return { takes, granted, ownCpuUs: parentPort === null ? user + system : 0 };
}

const say = (said: Taken) => (parentPort === null ? process.send!(said) : parentPort.postMessage(said));
(parentPort ?? process).on("message", async (said: Order | { readonly channel: string }) => {
  // The limiter's own messages come here, too.
  if ("most" in said) say(await taken(said));
});
say({ takes: 0, granted: 0, ownCpuUs: 0 });
