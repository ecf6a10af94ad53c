import { Worker } from "node:worker_threads";
import type { QueueSetup, QueuesCompetitor } from "../../structures/queues/queues.contract.ts";
import { endsOf, makeQueue, type QueueInstance } from "../../structures/queues/queues.instance.ts";
import { allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { saidBy } from "./other-thread.ts";
import type { Shape } from "./payload.ts";

/**
 * How a consumer waits. `poll`: it tries again at once. `sleep`: its thread blocks. `await`: its event loop goes on. `subscribe`:
 * the runtime delivers messages to its event loop.
 */
export type Waits = "poll" | "sleep" | "await" | "subscribe";

/** What one thread is started with; see end.worker.ts. */
export interface EndTask extends Omit<Flow, "setup"> {
  readonly competitorUrl: string;
  readonly instance: QueueInstance;
  readonly seat: number;
  readonly end: unknown;
  readonly seed: number;
  /** How many threads are ready. They begin together when all are. */
  readonly gate: Region;
  /** 0 of all their clocks, in ns of the process's. */
  readonly epochNs: bigint;
}

export interface Sends {
  /** Messages of each producer; with one of each side, those that end a subscription. */
  readonly count: number;
  /** Messages are due one in each interval, in ns, at a random moment of it; at once and as fast as can be if 0. */
  readonly intervalNs: number;
  /** Sends nothing for this long first, in ms. */
  readonly idleMs: number;
}

export interface Receives {
  readonly waits: Waits;
  /** Other work of its event loop, in each BUSY_EVERY_MS. */
  readonly busyMs: number;
}

/** What a producer says at its end. */
export interface Sent {
  /** When its first message was due. */
  readonly beganNs: number;
  /** When each was, by its number, where there is a schedule. */
  readonly dueNs: Float64Array;
  /** How long it waited for room at most. */
  readonly longestNs: number;
}

/** What a consumer says at its end. */
export interface Taken {
  readonly received: number;
  /** Whether its runtime delivered them: what it was told to wait for. */
  readonly isDelivered: boolean;
  /** Messages that are none that was sent, or out of order. */
  readonly wrong: number;
  /** Of its last receive. */
  readonly endedNs: number;
  /** When each message came, by its number, where there is a schedule and so one producer. */
  readonly cameNs: Float64Array;
  /** Processor time of its thread until the first message came, and after it, in us. */
  readonly idleCpuUs: number;
  readonly cpuUs: number;
}

export interface Flow {
  readonly shape: Shape;
  readonly setup: QueueSetup;
  readonly send: Sends;
  readonly receive: Receives;
}

const END = new URL("./end.worker.ts", import.meta.url);

/** Lets messages flow between threads of their own, and returns what each side says when all were received. */
export async function flow(
  competitor: QueuesCompetitor,
  { setup, ...asked }: Flow,
  seed: number,
  competitorUrl: string,
): Promise<{ readonly sent: readonly Sent[]; readonly taken: readonly Taken[] }> {
  const { producers, consumers } = setup;
  const instance = makeQueue(competitor, setup);
  const ends = endsOf(competitor, instance);
  const epochNs = process.hrtime.bigint();
  const shared = { ...asked, competitorUrl, instance, gate: allocateRegion(1), epochNs };
  const threads = Array.from({ length: producers + consumers }, (_, seat) => {
    const { value: end, transfer = [] } = ends[seat] ?? {};
    const workerData: EndTask = { ...shared, seat, end, seed: seed + seat };
    return new Worker(END, { workerData, transferList: transfer as never });
  });
  try {
    const said = await Promise.all(threads.map((thread) => saidBy<Sent | Taken>(thread)));
    return { sent: said.slice(0, producers) as Sent[], taken: said.slice(producers) as Taken[] };
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
