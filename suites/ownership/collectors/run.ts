import { join } from "node:path";
import type { ClaimsCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { allocateStream, type ClaimStream } from "../../../structures/ownership/parts/stream.ts";
import {
  CONFLICTING,
  drawHistory,
  type Faults,
  HOLDBACK,
  KINDS,
  LAGS_S,
  NO_FAULTS,
  NONE,
  ORIGIN,
  type Seen,
  WRONG,
} from "../collector.ts";
import { drawFleet, type Fleet, type FleetPlan } from "../fleet.ts";
import { type Broker, startBroker } from "./broker.ts";
import { Cluster } from "./cluster.ts";
import { Collector, type CollectorPlan, digestOf, STEP_MS, stepsOf, type Tally } from "./collector.ts";
import { countUnknown, type Shares } from "./laws.ts";
import type { Report } from "./orders.ts";
import type { Store } from "./transport.ts";
import { drawWorkload, openWorkload, writeWords } from "./workload.ts";

/** What is to be run. The same seed gives the same history, whatever carries it. */
export interface RunPlan {
  readonly fleet: FleetPlan;
  readonly faults: Partial<Faults>;
  readonly nodes: number;
  readonly asks: CollectorPlan["asks"];
}

/** Room for some ten million claims, and time enough for any run here. */
const STORE: Store = { bytes: 2 ** 28, ageMs: 3_600_000 };

export interface Drawn {
  readonly fleet: Fleet;
  readonly faults: Faults;
  readonly plan: Omit<CollectorPlan, "workload">;
  readonly workloads: readonly Int32Array[];
  /** Steps until the last question has been asked. */
  readonly steps: number;
}

export function drawRun({ fleet: fleetPlan, faults: some, nodes, asks }: RunPlan, seed: number): Drawn {
  const fleet = drawFleet(fleetPlan, seed);
  const faults = { ...NO_FAULTS, ...some };
  const history = drawHistory("claims", fleet, faults, seed, nodes);
  const { bounds } = history;
  const plan = { bounds, horizonMs: fleetPlan.horizonMs, asks };
  const workloads = Array.from({ length: nodes }, (_, node) => drawWorkload(node, nodes, fleet, history));
  return { fleet, faults, plan, workloads, steps: stepsOf(plan) };
}

/** Collectors as processes, which talk over a broker. */
export async function startProcesses(
  competitorUrl: string,
  { nodes }: RunPlan,
  { workloads, plan }: Drawn,
  broker: Broker,
): Promise<Cluster> {
  const files = workloads.map((words, node) => {
    const file = join(broker.folder, `workload-${node}`);
    writeWords(file, words);
    return file;
  });
  const way = { servers: broker.servers, run: ONLY_RUN, store: STORE };
  return Cluster.start({ competitorUrl, nodes, way, plan, workloads: files });
}

/** A run that has a broker to itself needs no other name. */
const ONLY_RUN = "only";

/** Does something with a broker that is there for that long. */
export async function withBroker<T>(work: (broker: Broker) => Promise<T>): Promise<T> {
  const broker = await startBroker();
  try {
    return await work(broker);
  } finally {
    await broker.stop();
  }
}

/** What collectors know when they have come to a step. */
export interface Audit {
  /** How many different things they know: one if they agree. */
  readonly different: number;
  /** Ranges that the first of them knows. */
  readonly ranges: number;
  /** Claims that were acknowledged and need not be forgotten yet, and how often a collector does not know one. */
  readonly acknowledged: number;
  readonly unknown: number;
}

export async function audit(cluster: Cluster, { plan: { bounds }, workloads }: Drawn): Promise<Audit> {
  await cluster.settle();
  const known = await cluster.holdings();
  const watermark = ORIGIN + Math.max(bounds.earliest, cluster.step * STEP_MS - bounds.retentionMs);
  let acknowledged = 0;
  let unknown = 0;
  for (const { node, from, before } of cluster.acknowledged) {
    const claims = claimsSent(workloads[node]!, from, before, watermark);
    acknowledged += claims.resources.length;
    for (const { holdings } of known) unknown += countUnknown(claims, holdings, watermark);
  }
  return {
    different: new Set(known.map(({ digest }) => digest)).size,
    ranges: known[0]!.holdings.resources.length,
    acknowledged,
    unknown,
  };
}

/** From where they are to the end; what they know is looked at when the last flow has begun, and most is known. */
export async function finish(cluster: Cluster, drawn: Drawn): Promise<{ audit: Audit; reports: Report[] }> {
  await cluster.runTo(Math.max(cluster.step, Math.floor(drawn.plan.horizonMs / STEP_MS)));
  const audited = await audit(cluster, drawn);
  await cluster.runTo(drawn.steps);
  return { audit: audited, reports: await cluster.end() };
}

/** What a collector's agents reported in some steps, but for what is forgotten. */
function claimsSent(words: Int32Array, from: number, before: number, watermark: number): ClaimStream {
  const { claims } = openWorkload(words);
  const sent: number[] = [];
  for (let claim = 0; claim < claims.count; claim++) {
    const step = Math.floor(claims.arrivals[claim]! / STEP_MS);
    if (step >= from && step < before && ORIGIN + claims.ends[claim]! > watermark) sent.push(claim);
  }
  const stream = allocateStream(sent.length);
  for (const [at, claim] of sent.entries()) {
    stream.resources[at] = claims.resources[claim]!;
    stream.owners[at] = claims.owners[claim]!;
    stream.starts[at] = ORIGIN + claims.starts[claim]!;
    stream.ends[at] = ORIGIN + claims.ends[claim]!;
  }
  return stream;
}

/** The same work without transport: each claim is handed to all collectors as it is, in one thread. */
export function runAlone(competitor: ClaimsCompetitor, { plan, workloads, steps }: Drawn) {
  const collectors = workloads.map(
    (words) => new Collector(competitor, { ...plan, workload: openWorkload(words) }),
  );
  let mostBytes: number | undefined;
  const begunMs = performance.now();
  const begun = process.cpuUsage();
  for (let step = 0; step < steps; step++) {
    for (const [node, collector] of collectors.entries()) {
      const claims = collector.claim(step);
      for (const [peer, other] of collectors.entries()) if (peer !== node) other.hear(claims);
    }
    for (const collector of collectors) {
      collector.answer(step);
      const { bytes } = collector;
      if (bytes !== undefined) mostBytes = Math.max(mostBytes ?? 0, bytes);
    }
  }
  const { user, system } = process.cpuUsage(begun);
  return {
    tallies: collectors.map((collector) => collector.close()),
    different: new Set(collectors.map((collector) => digestOf(collector.holdings()))).size,
    cpuMs: (user + system) / 1000,
    wallMs: performance.now() - begunMs,
    mostBytes,
  };
}

export function sharesOf(tallies: readonly Pick<Tally, "answers" | "lookups">[]): Shares {
  const count = (lag: number, kind: number) =>
    tallies.reduce((sum, { answers }) => sum + answers[lag * KINDS + kind]!, 0);
  const lookups = tallies.reduce((sum, tally) => sum + tally.lookups, 0);
  return shares(count, lookups);
}

export function simulatedShares({ answers, lookups }: Seen): Shares {
  return shares((lag, kind) => answers[lag]![kind]!, lookups);
}

function shares(count: (lag: number, kind: number) => number, lookups: number): Shares {
  const kinds = Array.from({ length: KINDS }, (_, kind) => kind);
  const asked = (lag: number) => kinds.reduce((sum, kind) => sum + count(lag, kind), 0);
  const missing = (lag: number) =>
    (100 * (count(lag, NONE) + count(lag, CONFLICTING))) / Math.max(1, asked(lag));
  return {
    wrong: LAGS_S.reduce((sum, _, lag) => sum + count(lag, WRONG), 0),
    lookups,
    missingAfterHoldback: missing(HOLDBACK),
    missingAtLast: missing(LAGS_S.length - 1),
  };
}
