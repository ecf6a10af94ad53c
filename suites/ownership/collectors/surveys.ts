import type {
  ClaimsCompetitor,
  OwnershipCompetitor,
} from "../../../structures/ownership/ownership.contract.ts";
import type { Sizes } from "../../engine/race.ts";
import { sum } from "../../engine/statistics.ts";
import { present } from "../../engine/words/present.ts";
import { type Metric, type Scenario, survey } from "../../shared/vocabulary.ts";
import { runCluster } from "../collector.ts";
import { FAULT_METRICS } from "../faults.ts";
import type { FleetPlan } from "../fleet.ts";
import { type Broker, brokerAbsent } from "./broker.ts";
import type { Cluster } from "./cluster.ts";
import { SLOWEST_S, STEP_MS, type Tally } from "./collector.ts";
import {
  acknowledgedIsKnown,
  collectorsAgree,
  everyQuestionIsAsked,
  nobodyIsBlamedWrongly,
  sharesAreTheSimulations,
  unknownIsHealed,
} from "./laws.ts";
import { MISHAPS, type Mishap, type Mishapped, runMishap, type Span } from "./mishaps.ts";
import type { Messages, Report } from "./orders.ts";
import {
  type Audit,
  audit,
  type Drawn,
  drawRun,
  finish,
  missingBetween,
  type RunPlan,
  runAlone,
  sharesOf,
  simulatedShares,
  startProcesses,
  startThreads,
  withBroker,
} from "./run.ts";

/**
 * Question: what does it cost that collectors stand in processes of their own, and does the simulation predict what they do?
 * Workload and why it is realistic: the history of the simulated faults, the same to the last flow for a seed. Its
 *   agents stand beside each collector; README.md here says what is real and what is drawn.
 * Not measured: agents that send over a network, and machines of their own. Review 0017 has the former.
 * How to run: npm run bench -- ownership/collectors; README.md names the others
 */
interface Between {
  readonly between: "nothing" | "broadcast-channel" | "nats";
}

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

const SHARE_METRICS = {
  missingAfterHoldback,
  simulatedAfterHoldback: { title: "Unattributed after 60 s, simulated", unit: "%", digits: 2 },
  missingAtLast,
  simulatedAtLast: { title: "Unattributed after 360 s, simulated", unit: "%", digits: 2 },
  ...LAW_METRICS,
  ...HEARD_METRICS,
} satisfies Record<string, Metric>;

type Measures = Partial<Record<keyof typeof SHARE_METRICS, number>>;

export interface SharesParams extends RunPlan, Between {}

interface Described<Params> {
  readonly scenario: string;
  readonly title: string;
  readonly alike?: string;
  readonly params: Sizes<Params>;
  readonly secondsPerFork: number;
  readonly mostForks?: number;
}

/** One that keeps evidence: all of that rule answer alike, and these runs are long. */
const COMMON = {
  headline: false,
  baseline: "flat-sorted-arrays",
  competitors: ["flat-sorted-arrays"],
  mostForks: 3,
} as const;

function absentBetween({ between }: Between): string | undefined {
  return between === "nats" ? brokerAbsent() : undefined;
}

/** What is attributed of one history, beside what the simulation says of it. */
export function sharesSurvey(described: Described<SharesParams>): Scenario {
  return survey<OwnershipCompetitor, SharesParams>({
    ...COMMON,
    ...described,
    metrics: SHARE_METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet, nodes),
    absent: (_competitor, params) => absentBetween(params),
    async run(competitor, params, seed, { competitorUrl }) {
      const drawn = drawRun(params, seed);
      const { fleet, faults } = drawn;
      const simulated = simulatedShares(runCluster(competitor, fleet, faults, seed, params.nodes));
      const { measures } = await measured(competitor as ClaimsCompetitor, competitorUrl, params, drawn);
      return {
        ...measures,
        simulatedAfterHoldback: simulated.missingAfterHoldback,
        simulatedAtLast: simulated.missingAtLast,
      };
    },
    law: (_competitor, _params, measures) => brokenLaw(measures) ?? brokenShares(measures),
  });
}

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

export interface RatesParams extends Between {
  readonly run: Omit<RunPlan, "nodes">;
  /** Of collectors, from one on. */
  readonly nodeCounts: readonly (typeof NODE_COUNTS)[number][];
}

/** How much one, two and four collectors attribute, each the same history, and what that comes to for the document's. */
export function ratesSurvey(described: Described<RatesParams>): Scenario {
  return survey<OwnershipCompetitor, RatesParams>({
    ...COMMON,
    ...described,
    metrics: RATE_METRICS,
    bytesPerWorker: (_competitor, { run: { fleet }, nodeCounts }) => bytesOf(fleet, Math.max(...nodeCounts)),
    absent: (_competitor, params) => absentBetween(params),
    async run(competitor, { run, between, nodeCounts }, seed, { competitorUrl }) {
      const rates: Record<string, number> = {};
      const cpuNs = new Map<number, number>();
      const brokerNs = new Map<number, number>();
      let most: Measures = {};
      for (const nodes of nodeCounts) {
        const params = { ...run, nodes, between };
        const drawn = drawRun(params, seed);
        const ran = await measured(competitor as ClaimsCompetitor, competitorUrl, params, drawn);
        const broken = brokenLaw(ran.measures);
        if (broken !== undefined) throw new Error(`${nodes} collectors: ${broken}`);
        const alone =
          between === "nothing" ? ran : measuredAlone(competitor as ClaimsCompetitor, params, drawn);
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

async function measured(
  competitor: ClaimsCompetitor,
  competitorUrl: string,
  params: SharesParams,
  drawn: Drawn,
): Promise<Measured> {
  switch (params.between) {
    case "nothing":
      return measuredAlone(competitor, params, drawn);
    case "broadcast-channel":
      return measuredApart(await startThreads(competitorUrl, params, drawn), params, drawn);
    case "nats":
      return withBroker((broker) => measuredOverBroker(competitorUrl, params, drawn, broker));
  }
}

async function measuredOverBroker(
  competitorUrl: string,
  params: SharesParams,
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

function measuredAlone(competitor: ClaimsCompetitor, { fleet, nodes }: SharesParams, drawn: Drawn): Measured {
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

async function measuredApart(cluster: Cluster, { fleet }: SharesParams, drawn: Drawn): Promise<Measured> {
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

function brokenShares(measures: Readonly<Record<string, number>>): string | undefined {
  const { wrong, lookups, missingAfterHoldback, missingAtLast, simulatedAfterHoldback, simulatedAtLast } =
    measures as Readonly<Record<keyof typeof SHARE_METRICS, number>>;
  return sharesAreTheSimulations(
    { wrong, lookups, missingAfterHoldback, missingAtLast },
    { wrong, lookups, missingAfterHoldback: simulatedAfterHoldback, missingAtLast: simulatedAtLast },
  );
}

const REJOIN_METRICS = {
  claims: { title: "Claims that are kept", unit: "", digits: 0 },
  ranges: { title: "Ranges that are known", unit: "", digits: 0 },
  agreed: { title: "Start to agreement", unit: "s", digits: 2 },
  replay: { title: "Replay alone", unit: "s", digits: 2 },
  messages: { title: "Messages replayed", unit: "", digits: 0 },
  different: LAW_METRICS.different,
  unknown: LAW_METRICS.unknown,
} satisfies Record<string, Metric>;

/** A document's promise is minutes; a person who looks on waits for less. */
const AGREED_WITHIN_S = 10;

/** One of three collectors is killed when the last flow has begun, and comes back: until it knows what its peers know. */
export function rejoinSurvey(described: Described<RunPlan>): Scenario {
  return survey<OwnershipCompetitor, RunPlan>({
    ...COMMON,
    ...described,
    metrics: REJOIN_METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet, nodes),
    absent: () => brokerAbsent(),
    run: (_competitor, run, seed, { competitorUrl }) => {
      const drawn = drawRun(run, seed);
      return withBroker((broker) => measuredRejoin(competitorUrl, run, drawn, broker));
    },
    law: (_competitor, _params, { different, unknown, agreed, claims }) =>
      collectorsAgree(different!) ??
      acknowledgedIsKnown(unknown!, claims!) ??
      (agreed! <= AGREED_WITHIN_S ? undefined : `agreement took ${agreed!.toFixed(1)} s`),
  });
}

async function measuredRejoin(competitorUrl: string, run: RunPlan, drawn: Drawn, broker: Broker) {
  const cluster = await startProcesses(competitorUrl, run, drawn, broker);
  try {
    await cluster.runTo(Math.floor(drawn.plan.horizonMs / STEP_MS));
    await cluster.settle();
    await cluster.kill(0);
    const begunMs = performance.now();
    const { replayed, replayMs } = await cluster.revive(0);
    await cluster.settle();
    const agreedMs = performance.now() - begunMs;
    const { different, ranges, acknowledged, unknown } = await audit(cluster, drawn);
    return {
      claims: acknowledged,
      ranges,
      agreed: agreedMs / 1000,
      replay: replayMs / 1000,
      messages: replayed,
      different,
      unknown,
    };
  } finally {
    await cluster.stop();
  }
}

const MISHAP_METRICS = {
  wrong: LAW_METRICS.wrong,
  lookups: LAW_METRICS.lookups,
  unserved: LAW_METRICS.unserved,
  missingMeanwhile: { title: "Unattributed after 60 s, until all has healed", unit: "%", digits: 2 },
  faultlessMeanwhile: { title: "Without the mishap", unit: "%", digits: 2 },
  missingHealed: { title: "Unattributed after 60 s, from then on", unit: "%", digits: 2 },
  faultlessHealed: { title: "Without the mishap, from then on", unit: "%", digits: 2 },
  acknowledgedAfter: { title: "Claims acknowledged and kept when it is over", unit: "", digits: 0 },
  unknownAfter: LAW_METRICS.unknown,
  differentAfter: LAW_METRICS.different,
  acknowledged: LAW_METRICS.acknowledged,
  unknown: LAW_METRICS.unknown,
  different: LAW_METRICS.different,
  repeated: { title: "Messages sent again", unit: "", digits: 0 },
  replayed: { title: "Messages replayed", unit: "", digits: 0 },
  givenUp: { title: "Messages never acknowledged", unit: "", digits: 0 },
  slowConsumers: { title: "Clients given up by the broker", unit: "", digits: 0 },
} satisfies Record<string, Metric>;

export interface MishapParams extends RunPlan {
  readonly span: Span;
}

/** From the end of a mishap to when no answer rests on what it lost: the longest flow, its report, the holdback, a minute. */
const HEALS_WITHIN_STEPS = 480;

export function mishapSurvey(
  scenario: string,
  name: keyof typeof MISHAPS,
  params: Sizes<MishapParams>,
): Scenario {
  const mishap: Mishap = MISHAPS[name];
  return survey<OwnershipCompetitor, MishapParams>({
    scenario,
    title: `three collectors over NATS: ${mishap.title}`,
    alike: "collectors-mishap",
    ...COMMON,
    params,
    secondsPerFork: 15,
    metrics: MISHAP_METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet, nodes),
    absent: () => brokerAbsent(),
    async run(competitor, plan, seed, { competitorUrl }) {
      const drawn = drawRun(plan, seed);
      const faultless = runAlone(competitor as ClaimsCompetitor, drawn).tallies;
      return mishapMeasures(await runMishap(competitorUrl, mishap, plan, drawn, plan.span), faultless, plan);
    },
    law: (_competitor, _params, { wrong, lookups, unknown, acknowledged, different, ...others }) =>
      nobodyIsBlamedWrongly(wrong!, lookups!) ??
      acknowledgedIsKnown(others.unknownAfter!, others.acknowledgedAfter!) ??
      collectorsAgree(others.differentAfter!) ??
      acknowledgedIsKnown(unknown!, acknowledged!) ??
      collectorsAgree(different!) ??
      unknownIsHealed(others.missingHealed!, others.faultlessHealed!),
  });
}

function mishapMeasures(
  { after, audit: audited, reports, slowConsumers }: Mishapped,
  faultless: readonly Tally[],
  { span, fleet }: MishapParams,
) {
  const tallies = reports.map(({ tally }) => tally);
  const healedAt = span.to + HEALS_WITHIN_STEPS;
  const end = Math.floor(fleet.horizonMs / STEP_MS);
  const count = (key: keyof Messages) => sum(reports.map(({ messages }) => messages[key]));
  const { wrong, lookups, unserved } = talliedMeasures(tallies);
  return {
    ...auditedMeasures(audited),
    acknowledgedAfter: after.acknowledged,
    unknownAfter: after.unknown,
    differentAfter: after.different,
    wrong: wrong!,
    lookups: lookups!,
    unserved: unserved!,
    missingMeanwhile: missingBetween(tallies, span.from, healedAt),
    faultlessMeanwhile: missingBetween(faultless, span.from, healedAt),
    missingHealed: missingBetween(tallies, healedAt, end),
    faultlessHealed: missingBetween(faultless, healedAt, end),
    repeated: count("repeated"),
    replayed: count("replayed"),
    givenUp: count("givenUp"),
    slowConsumers,
  };
}
