import type { Broker, BrokerLimits } from "./broker.ts";
import type { Cluster } from "./cluster.ts";
import { Detour } from "./detour.ts";
import type { Report } from "./orders.ts";
import {
  type Audit,
  audit,
  type Drawn,
  finish,
  ONLY_RUN,
  type RunPlan,
  startProcesses,
  withBroker,
} from "./run.ts";

/** Between these steps something is wrong. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Stage {
  readonly cluster: Cluster;
  readonly broker: Broker;
  /** Through which all collectors reach the broker. */
  readonly detour: Detour;
  readonly span: Span;
}

/** What is done to three collectors over NATS, for real. */
export interface Mishap {
  readonly title: string;
  readonly plan?: Partial<RunPlan>;
  readonly limits?: BrokerLimits;
  /** From the first step to the last of the span. */
  mistreat(stage: Stage): Promise<void>;
}

const VICTIM = 2;
const OTHERS = [0, 1];
/** A tenth of NATS's own: a test need not wait longer. */
const LITTLE_PATIENCE_MS = 1_000;
/** Room for a part of the claims of even the smallest run. */
const LITTLE_STORE_BYTES = 100_000;
const AN_HOUR_MS = 3_600_000;

const undisturbed = async ({ cluster, span }: Stage) => cluster.runTo(span.to);

export const MISHAPS = {
  none: { title: "nothing goes wrong", mistreat: undisturbed },
  killed: {
    title: "a collector is killed in mid-stream, and comes back 60 s later",
    async mistreat({ cluster, span }) {
      await cluster.killAt(VICTIM, span.from, span.to);
      await cluster.revive(VICTIM);
    },
  },
  "broker-killed": {
    title: "the broker is killed, and started again 60 s later",
    async mistreat({ cluster, broker, span }) {
      await cluster.runTo(span.from);
      await broker.kill();
      await cluster.runApart(span.to);
      await broker.restart();
    },
  },
  cut: {
    title: "no collector reaches the broker for 60 s",
    async mistreat({ cluster, detour, span }) {
      await cluster.runTo(span.from);
      detour.cut();
      await cluster.runApart(span.to);
      detour.mend();
    },
  },
  slow: {
    title: "a collector does not read until the broker gives it up",
    limits: { writesWithinMs: LITTLE_PATIENCE_MS },
    async mistreat({ cluster, broker, span }) {
      await cluster.runTo(span.from);
      process.kill(cluster.pidOf(VICTIM), "SIGSTOP");
      try {
        await cluster.runTo(span.to, OTHERS);
        await floodUntilDropped(broker);
      } finally {
        process.kill(cluster.pidOf(VICTIM), "SIGCONT");
      }
    },
  },
  unruly: {
    title: "three messages of ten come twice, and all overtake each other",
    plan: { unruly: { seed: 1, doubled: 0.3, turnsMost: 20 } },
    mistreat: undisturbed,
  },
  full: {
    title: "the broker's store is full, and refuses what comes",
    plan: { store: { bytes: LITTLE_STORE_BYTES, ageMs: AN_HOUR_MS, whenFull: "refuse" } },
    mistreat: undisturbed,
  },
  forgetful: {
    title: "the broker's store is full, and forgets what was kept first",
    plan: { store: { bytes: LITTLE_STORE_BYTES, ageMs: AN_HOUR_MS, whenFull: "forget" } },
    mistreat: undisturbed,
  },
} as const satisfies Record<string, Mishap>;

export interface Mishapped {
  /** When the span is over. */
  readonly after: Audit;
  /** When the last flow has begun. */
  readonly audit: Audit;
  readonly reports: readonly Report[];
  /** Clients that the broker gave up. */
  readonly slowConsumers: number;
}

export async function runMishap(
  competitorUrl: string,
  mishap: Mishap,
  plan: RunPlan,
  drawn: Drawn,
  span: Span,
): Promise<Mishapped> {
  return withBroker(async (broker) => {
    const detour = await Detour.to(broker);
    const mishapped = { ...plan, ...mishap.plan };
    try {
      const cluster = await startProcesses(competitorUrl, mishapped, drawn, broker, detour.servers);
      try {
        await mishap.mistreat({ cluster, broker, detour, span });
        const after = await audit(cluster, drawn);
        const slowConsumers = await broker.slowConsumers();
        return { after, ...(await finish(cluster, drawn)), slowConsumers };
      } finally {
        await cluster.stop();
      }
    } finally {
      detour.close();
    }
  }, mishap.limits);
}

/** Sends nonsense to all until the broker has given up a client that does not read. */
async function floodUntilDropped(broker: Broker): Promise<void> {
  // As every command loads this file when it plans, the client is loaded only where it is used.
  const { connect } = await import("@nats-io/transport-node");
  const connection = await connect({ servers: broker.servers });
  try {
    const nonsense = new Uint8Array(2 ** 19);
    while ((await broker.slowConsumers()) === 0) {
      connection.publish(`claims.${ONLY_RUN}.${VICTIM + 1}`, nonsense);
      await connection.flush();
    }
  } finally {
    await connection.close();
  }
}
