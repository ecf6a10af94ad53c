import cluster from "node:cluster";
import { type EventEmitter, on } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { LimitsCompetitor } from "../../../structures/limits/limits.contract.ts";
import { makeBuckets } from "../../../structures/limits/limits.instance.ts";
import { killProcess } from "../../shared/processes.ts";
import { survey } from "../../shared/vocabulary.ts";

type Params = Readonly<Record<"users" | "forMs", number>>;
/** Asks a worker for takes for a time, or until it has made `most`. `of`: with which the names of users begin. */
export type Order = Params & Readonly<Record<"underWay" | "most" | "seed", number>> & { readonly of: string };
/** `ownCpuUs`: processor time of a process of its own; 0 of a thread. */
export type Taken = Readonly<Record<"takes" | "granted" | "ownCpuUs", number>>;

/** Of each user: more than are taken in the time, and so slow to come that none comes. */
export const LIMIT = { capacity: 1_000, perSecond: 1e-3 };
const UNDER_WAY = 16;
const NO_END = 2 ** 31;
/** All want what one user has. */
const ALL_OF_ONE = { of: "one", users: 1, underWay: UNDER_WAY, most: LIMIT.capacity, forMs: NO_END };

export default [oneLimit(2), oneLimit(4)];

/** Workers that keep one limit for each user: threads that share memory, or processes whose primary answers by messages. */
function oneLimit(workers: number) {
  return survey<LimitsCompetitor, Params>({
    scenario: `one-limit-${workers}`,
    title: `${workers} workers that keep one limit for each of 100,000 users: threads by gcra-table, processes by rate-limiter-flexible's RateLimiterCluster`,
    headline: false,
    baseline: "gcra-table",
    competitors: ["gcra-table", "npm-rate-limiter-flexible"],
    params: { full: { users: 100_000, forMs: 2_000 }, smoke: { users: 10_000, forMs: 50 } },
    metrics: {
      alone: { title: "One take at a time", unit: "us/take", digits: 2 },
      together: { title: `${UNDER_WAY} at a time in each worker`, unit: "thousand takes/s", digits: 1 },
      cpu: { title: "CPU of these", unit: "us/take", digits: 2 },
      wrong: { title: "Wrongly granted or refused", unit: "takes", digits: 0 },
    },
    mostForks: 3,
    secondsPerFork: 7,

    async run({ scope }, params, seed) {
      const crew = scope === "one" ? threads(workers, params) : processes(workers);
      const ask = async (order: Pick<Order, "of" | "underWay"> & Partial<Order>) => {
        const cpu = process.cpuUsage();
        const answers = Promise.all(crew.map(answerOf));
        for (const [index, { send }] of crew.entries())
          send({ ...params, most: NO_END, seed: seed + index, ...order });
        const all = await answers;
        const { user, system } = process.cpuUsage(cpu);
        const sum = (what: keyof Taken) => all.reduce((total, taken) => total + taken[what], 0);
        return { takes: sum("takes"), granted: sum("granted"), cpuUs: user + system + sum("ownCpuUs") };
      };
      try {
        await Promise.all(crew.map(answerOf));
        await ask({ of: "early", underWay: UNDER_WAY, most: params.users });
        const alone = await ask({ of: "user", underWay: 1 });
        const many = await ask({ of: "user", underWay: UNDER_WAY });
        const one = await ask(ALL_OF_ONE);
        const refused = alone.takes + many.takes - alone.granted - many.granted;
        return {
          alone: (workers * params.forMs * 1_000) / alone.takes,
          together: many.takes / params.forMs,
          cpu: many.cpuUs / many.takes,
          wrong: refused + Math.abs(one.granted - LIMIT.capacity),
        };
      } finally {
        await Promise.all(crew.map(({ end }) => end()));
      }
    },

    law: (_competitor, _params, { wrong }) =>
      wrong === 0 ? undefined : `tokensAreConserved: ${wrong} takes were granted or refused wrongly`,
  });
}

type Member = { readonly from: EventEmitter; send(order: Order): void; end(): Promise<unknown> };
const WORKER = new URL("../one-limit.worker.ts", import.meta.url);

function threads(length: number, { users }: Params): Member[] {
  const workerData = makeBuckets({ ...LIMIT, keys: 2 * users + 1 });
  return Array.from({ length }, () => {
    const worker = new Worker(WORKER, { workerData });
    return { from: worker, send: (order) => worker.postMessage(order), end: () => worker.terminate() };
  });
}

function processes(length: number): Member[] {
  new RateLimiterClusterMaster();
  cluster.setupPrimary({ exec: fileURLToPath(WORKER), args: [], stdio: ["ignore", 2, 2, "ipc"] });
  return Array.from({ length }, () => {
    const { process: child } = cluster.fork();
    return { from: child, send: (order) => child.send(order), end: () => killProcess(child) };
  });
}

/** What a member says next, but for what its limiter says. */
async function answerOf({ from }: Member): Promise<Taken> {
  for await (const [said] of on(from, "message", { close: ["exit"] })) if ("takes" in said) return said;
  throw new Error("a worker ended before its orders did");
}
