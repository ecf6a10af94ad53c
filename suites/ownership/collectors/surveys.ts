import type {
  ClaimsCompetitor,
  OwnershipCompetitor,
} from "../../../structures/ownership/ownership.contract.ts";
import type { Sizes } from "../../engine/race.ts";
import { sum } from "../../engine/statistics.ts";
import { present } from "../../engine/words/present.ts";
import { type Metric, type Scenario, survey } from "../../shared/vocabulary.ts";
import { FAULT_METRICS } from "../faults.ts";
import type { FleetPlan } from "../fleet.ts";
import { type Broker, brokerAbsent } from "./broker.ts";
import type { Cluster } from "./cluster.ts";
import { SLOWEST_S, type Tally } from "./collector.ts";
import { acknowledgedIsKnown, collectorsAgree, everyQuestionIsAsked, nobodyIsBlamedWrongly } from "./laws.ts";
import type { Report } from "./orders.ts";
import {
  type Audit,
  type Drawn,
  drawRun,
  finish,
  type RunPlan,
  runAlone,
  sharesOf,
  startProcesses,
  withBroker,
} from "./run.ts";

/**
 * Question: what does it cost that collectors stand in processes of their own?
 * Workload and why it is realistic: the history of the simulated faults, the same to the last flow for a seed. Its
 *   agents stand beside each collector; README.md here says what is real and what is drawn.
 * Not measured: agents that send over a network, and machines of their own. Review 0017 has the former.
 * How to run: npm run bench -- ownership/collectors-nats, or -alone
 */
const HEARD_METRICS = {
  bytesPerAddress: { title: "Held at most", unit: "B/address and collector", digits: 0 },
  sentPerClaim: { title: "Sent", unit: "B/claim", digits: 1 },
  heardP50: { title: "Sent to heard p50", unit: "ms", digits: 2 },
  heardP99: { title: "Sent to heard p99", unit: "ms", digits: 2 },
  delayP50: { title: "Flow's end to its attribution p50", unit: "s simulated", digits: 0 },
  delayP99: { title: "Flow's end to its attribution p99", unit: "s simulated", digits: 0 },
} satisfies Record<string, Metric>;

const LAW_METRICS = {
  wrong: { title: "Misattributed, all lookups", unit: "", digits: 0 },
  lookups: { title: "Lookups", unit: "", digits: 0 },
  unserved: { title: "Lookups not made", unit: "", digits: 0 },
  acknowledged: { title: "Claims acknowledged and kept at the last flow", unit: "", digits: 0 },
  unknown: { title: "Of these unknown to a collector", unit: "", digits: 0 },
  different: { title: "Different things that collectors know", unit: "", digits: 0 },
} satisfies Record<string, Metric>;

const { missingAfterHoldback, missingAtLast } = FAULT_METRICS;

type Measures = Readonly<Record<string, number>>;

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly params: Sizes<RatesParams>;
  readonly secondsPerFork: number;
}

/** One that keeps evidence: all of that rule answer alike, and these runs are long. */
const COMMON = {
  headline: false,
  baseline: "flat-sorted-arrays",
  competitors: ["flat-sorted-arrays"],
  mostForks: 3,
} as const;

const NODE_COUNTS = [1, 2, 4] as const;

const RATE_METRICS = {
  ...ofEach("perCpuSecond", "Attributed per CPU second", "flow reports"),
  ...ofEach("ofAlone", "Of that without transport", "%"),
  ...ofEach("perSecond", "Attributed per second and collector", "flow reports"),
  ownNs: { title: "CPU time of a report, but for hearing", unit: "ns", digits: 0 },
  hearNs: { title: "CPU time of a claim for each collector", unit: "ns", digits: 0 },
  hearingCores: { title: "5 M reports/s: cores that each collector hears with", unit: "", digits: 1 },
  clusterCores: { title: "5 M reports/s: cores of 30 collectors", unit: "", digits: 0 },
  brokerCores: { title: "5 M reports/s: cores of the broker of 30", unit: "", digits: 0 },
  ...HEARD_METRICS,
  missingAfterHoldback,
  missingAtLast,
  ...LAW_METRICS,
} satisfies Record<string, Metric>;

function ofEach(key: string, title: string, unit: string): Record<string, Metric> {
  return Object.fromEntries(
    NODE_COUNTS.map((nodes) => [`${key}${nodes}`, { title: `${title}, of ${nodes}`, unit, digits: 0 }]),
  );
}

export interface RatesParams {
  readonly between: "nothing" | "nats";
  readonly run: Omit<RunPlan, "nodes">;
  /** Of collectors, from one on. */
  readonly nodeCounts: readonly (typeof NODE_COUNTS)[number][];
}

/** How much one, two and four collectors attribute, each the same history, and what that comes to for the document's. */
export function ratesSurvey(described: Described): Scenario {
  return survey<OwnershipCompetitor, RatesParams>({
    ...COMMON,
    ...described,
    metrics: RATE_METRICS,
    bytesPerWorker: (_competitor, { run: { fleet }, nodeCounts }) => bytesOf(fleet, Math.max(...nodeCounts)),
    absent: (_competitor, { between }) => (between === "nats" ? brokerAbsent() : undefined),
    async run(competitor, { run, between, nodeCounts }, seed, { competitorUrl }) {
      const rates: Record<string, number> = {};
      const cpuNs = new Map<number, number>();
      const brokerNs = new Map<number, number>();
      let most: Measures = {};
      for (const nodes of nodeCounts) {
        const params = { ...run, nodes };
        const drawn = drawRun(params, seed);
        const withoutTransport = () => measuredAlone(competitor as ClaimsCompetitor, params, drawn);
        const ran =
          between === "nothing"
            ? withoutTransport()
            : await withBroker((broker) => measuredOverBroker(competitorUrl, params, drawn, broker));
        const broken = brokenLaw(ran.measures);
        if (broken !== undefined) throw new Error(`${nodes} collectors: ${broken}`);
        const alone = between === "nothing" ? ran : withoutTransport();
        // CPU time is counted in ticks of the clock. For a run shorter than a tick it may be 0, and no rate is known.
        if (ran.cpuSeconds > 0 && alone.cpuSeconds > 0) {
          const rate = ran.reports / ran.cpuSeconds;
          rates[`perCpuSecond${nodes}`] = rate;
          if (alone !== ran) rates[`ofAlone${nodes}`] = (100 * rate * alone.cpuSeconds) / alone.reports;
          cpuNs.set(nodes, (1e9 * ran.cpuSeconds) / ran.reports);
        }
        if (ran.wallSeconds > 0) rates[`perSecond${nodes}`] = ran.reports / ran.wallSeconds / nodes;
        if (ran.brokerSeconds !== undefined) brokerNs.set(nodes, (1e9 * ran.brokerSeconds) / ran.reports);
        most = ran.measures;
      }
      const perReport = cpuNs.size < nodeCounts.length ? {} : arithmetic(cpuNs);
      return { ...most, ...rates, ...perReport, ...brokerArithmetic(brokerNs) };
    },
    law: (_competitor, _params, measures) => brokenLaw(measures),
  });
}

/** What the document's collectors attribute, and how many there are, of 8 virtual cores each. */
const DOCUMENTED = { perSecond: 5_000_000, collectors: 30 };

/**
 * All hear all claims. A report costs its own collector a share that does not grow with their number, and each of them
 * the hearing of its claim. From the CPU time of a report, all collectors together, of one and of several.
 */
export function arithmetic(cpuNs: ReadonlyMap<number, number>) {
  const { ownNs, eachNs } = splitNs(cpuNs);
  return {
    ownNs,
    hearNs: eachNs,
    hearingCores: coresOf(eachNs),
    clusterCores: coresOf(ownNs + DOCUMENTED.collectors * eachNs),
  };
}

/** A broker takes and keeps each claim once, and hands it to each: the same sum. Nothing where there is none to be measured. */
export function brokerArithmetic(brokerNs: ReadonlyMap<number, number>) {
  if (brokerNs.size === 0) return {};
  const { ownNs, eachNs } = splitNs(brokerNs);
  return { brokerCores: coresOf(ownNs + DOCUMENTED.collectors * eachNs) };
}

function splitNs(ns: ReadonlyMap<number, number>) {
  const most = Math.max(...ns.keys());
  const eachNs = (ns.get(most)! - ns.get(1)!) / (most - 1);
  return { ownNs: ns.get(1)! - eachNs, eachNs };
}

function coresOf(ns: number): number {
  return (DOCUMENTED.perSecond * ns) / 1e9;
}

/** Ends of flows, at a quarter each address and second, in some twenty columns; and what each collector has of them. */
function bytesOf({ resources, horizonMs }: FleetPlan, nodes: number): number {
  const ends = (resources * horizonMs * 0.25) / 1000;
  return ends * 100 + nodes * ends * 60;
}

interface Measured {
  readonly measures: Measures;
  readonly reports: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** CPU time of the broker, from when all collectors are there. */
  readonly brokerSeconds?: number;
}

async function measuredOverBroker(
  competitorUrl: string,
  params: RunPlan,
  drawn: Drawn,
  broker: Broker,
): Promise<Measured> {
  const cluster = await startProcesses(competitorUrl, params, drawn, broker);
  const begunMs = broker.cpuMs();
  const ran = await measuredApart(cluster, params, drawn);
  const endedMs = broker.cpuMs();
  if (begunMs === undefined || endedMs === undefined) return ran;
  return { ...ran, brokerSeconds: (endedMs - begunMs) / 1000 };
}

function measuredAlone(competitor: ClaimsCompetitor, { fleet, nodes }: RunPlan, drawn: Drawn): Measured {
  const { tallies, different, cpuMs, wallMs, mostBytes } = runAlone(competitor, drawn);
  return {
    measures: {
      ...talliedMeasures(tallies),
      ...(mostBytes === undefined ? {} : { bytesPerAddress: mostBytes / fleet.resources }),
      different,
    },
    reports: questionsOf(tallies),
    cpuSeconds: cpuMs / 1000,
    // One thread did the work of all, one after the other.
    wallSeconds: wallMs / 1000 / nodes,
  };
}

async function measuredApart(cluster: Cluster, { fleet }: RunPlan, drawn: Drawn): Promise<Measured> {
  try {
    const { audit: audited, reports } = await finish(cluster, drawn);
    return {
      measures: { ...auditedMeasures(audited), ...reportedMeasures(reports, fleet.resources) },
      reports: questionsOf(reports.map(({ tally }) => tally)),
      cpuSeconds: sum(reports.map(({ cpuMs }) => cpuMs)) / 1000,
      wallSeconds: Math.max(...reports.map(({ wallMs }) => wallMs)) / 1000,
    };
  } finally {
    await cluster.stop();
  }
}

function auditedMeasures({ different, acknowledged, unknown }: Audit): Measures {
  return { different, acknowledged, unknown };
}

function reportedMeasures(reports: readonly Report[], resources: number): Measures {
  const tallies = reports.map(({ tally }) => tally);
  const bytes = sum(reports.map(({ sentBytes }) => sentBytes));
  const claims = sum(reports.map(({ sentClaims }) => sentClaims));
  const most = (numberOf: (report: Report) => number) => Math.max(...reports.map(numberOf));
  const held = reports.flatMap(({ mostBytes }) => (mostBytes === undefined ? [] : [mostBytes]));
  return {
    ...talliedMeasures(tallies),
    ...(held.length === 0 ? {} : { bytesPerAddress: Math.max(...held) / resources }),
    sentPerClaim: bytes / Math.max(1, claims),
    // One collector has no peer to hear.
    ...(reports.length === 1
      ? {}
      : {
          heardP50: most(({ heardAfterUs }) => heardAfterUs.p50) / 1000,
          heardP99: most(({ heardAfterUs }) => heardAfterUs.p99) / 1000,
        }),
  };
}

function talliedMeasures(tallies: readonly Tally[]): Measures {
  const { wrong, lookups, missingAfterHoldback, missingAtLast } = sharesOf(tallies);
  const delays = (share: number) => delaySeconds(tallies, share);
  const [delayP50, delayP99] = [delays(0.5), delays(0.99)];
  return {
    wrong,
    lookups,
    missingAfterHoldback,
    missingAtLast,
    unserved: sum(tallies.map(({ unserved }) => unserved)),
    ...present({ delayP50, delayP99 }),
  };
}

function questionsOf(tallies: readonly Tally[]): number {
  return sum(tallies.map(({ questions }) => questions));
}

/** When this share of all flows was attributed; undefined if never, or too late to be counted. */
function delaySeconds(tallies: readonly Tally[], share: number): number | undefined {
  const rank = Math.ceil(share * questionsOf(tallies));
  let passed = 0;
  for (let seconds = 0; seconds < SLOWEST_S; seconds++) {
    for (const { delays } of tallies) passed += delays[seconds]!;
    if (passed >= rank) return seconds;
  }
  return undefined;
}

/** Claims are true in all scenarios of collectors: no clock is wrong. */
function brokenLaw({
  wrong,
  lookups,
  unserved = 0,
  different = 1,
  unknown = 0,
  acknowledged = 0,
}: Readonly<Record<string, number>>): string | undefined {
  return (
    nobodyIsBlamedWrongly(wrong!, lookups!) ??
    everyQuestionIsAsked(unserved) ??
    collectorsAgree(different) ??
    acknowledgedIsKnown(unknown, acknowledged)
  );
}

/** The first law that a run broke, besides the simulation's shares: from its reports, and from what was known. */
export function lawBrokenBy(reports: readonly Report[], audited: Audit): string | undefined {
  return brokenLaw({ ...talliedMeasures(reports.map(({ tally }) => tally)), ...auditedMeasures(audited) });
}
