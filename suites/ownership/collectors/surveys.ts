import type {
  ClaimsCompetitor,
  OwnershipCompetitor,
} from "../../../structures/ownership/ownership.contract.ts";
import { type Instruments, type Metric, type Scenario, type Sizes, survey } from "../../engine/suite.ts";
import { runCluster } from "../collector.ts";
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
 * Question: what does it cost that collectors stand in processes of their own, and does the simulation tell what they do?
 * Workload and why it is realistic: the history of the simulated faults, the same to the last flow for a seed, whose
 *   agents stand beside each collector; see README.md here for what is real and what is drawn.
 * Not measured: agents that send over a network, and machines of their own.
 * How to run: npm run bench -- ownership/collectors; README.md names the others
 */
export type Between = "nothing" | "broadcast-channel" | "nats";

/** Two that keep evidence: all others of that rule answer alike. */
const COMPETITORS = ["flat-sorted-arrays", "sorted-arrays"] as const;

const METRICS = {
  perCpuSecond: { title: "Attributed per CPU second", unit: "flow reports", digits: 0 },
  perSecond: { title: "Attributed per second and collector", unit: "flow reports", digits: 0 },
  coresFor5M: { title: "Cores for 5 million a second, with so many collectors", unit: "", digits: 0 },
  bytesPerAddress: { title: "Held at most", unit: "B/address and collector", digits: 0 },
  sentPerClaim: { title: "Sent", unit: "B/claim", digits: 1 },
  heardP50: { title: "Told to heard p50", unit: "ms", digits: 2 },
  heardP99: { title: "Told to heard p99", unit: "ms", digits: 2 },
  delayP50: { title: "Flow's end to its attribution p50", unit: "s simulated", digits: 0 },
  delayP99: { title: "Flow's end to its attribution p99", unit: "s simulated", digits: 0 },
  missingAfterHoldback: { title: "Unattributed after 60 s", unit: "%", digits: 2 },
  simulatedAfterHoldback: { title: "Unattributed after 60 s, simulated", unit: "%", digits: 2 },
  missingAtLast: { title: "Unattributed after 360 s", unit: "%", digits: 2 },
  simulatedAtLast: { title: "Unattributed after 360 s, simulated", unit: "%", digits: 2 },
  wrong: { title: "Misattributed, all lookups", unit: "", digits: 0 },
  lookups: { title: "Lookups", unit: "", digits: 0 },
  unserved: { title: "Lookups not made", unit: "", digits: 0 },
  acknowledged: {
    title: "Claims acknowledged and not forgotten at the end of the flows",
    unit: "",
    digits: 0,
  },
  unknown: { title: "Of these unknown to a collector", unit: "", digits: 0 },
  disagreeing: { title: "Collectors that know something else", unit: "", digits: 0 },
} satisfies Record<string, Metric>;

type Measures = Partial<Record<keyof typeof METRICS, number>>;

export interface SurveyParams extends RunPlan {
  readonly between: Between;
}

interface Described {
  readonly scenario: string;
  readonly title: string;
  readonly params: Sizes<SurveyParams>;
  readonly secondsPerFork: number;
  readonly competitors?: readonly string[];
}

export function collectorsSurvey({ params, competitors = COMPETITORS, ...described }: Described): Scenario {
  return survey<OwnershipCompetitor, SurveyParams>({
    ...described,
    headline: false,
    baseline: "flat-sorted-arrays",
    competitors,
    params,
    mostForks: 3,
    metrics: METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet.resources * fleet.horizonMs, nodes),
    absent: (_competitor, { between }) => (between === "nats" ? brokerAbsent() : undefined),
    run: surveyRun,
    law: (_competitor, _params, measures) => brokenLaw(measures),
  });
}

/** Ends of flows, at a quarter each address and second, in some twenty columns; and what each collector has of them. */
function bytesOf(addressMs: number, nodes: number): number {
  const ends = (addressMs / 1000) * 0.25;
  return ends * 100 + nodes * ends * 60;
}

async function surveyRun(
  competitor: OwnershipCompetitor,
  params: SurveyParams,
  seed: number,
  { competitorUrl }: Instruments,
): Promise<Measures> {
  const drawn = drawRun(params, seed);
  const simulated = simulatedShares(runCluster(competitor, drawn.fleet, drawn.faults, seed, params.nodes));
  const ran =
    params.between === "nothing"
      ? measuredAlone(competitor as ClaimsCompetitor, params, drawn)
      : await measuredApart(competitorUrl, params, drawn);
  return {
    ...ran,
    simulatedAfterHoldback: simulated.missingAfterHoldback,
    simulatedAtLast: simulated.missingAtLast,
  };
}

function measuredAlone(competitor: ClaimsCompetitor, { fleet }: SurveyParams, drawn: Drawn): Measures {
  const { tallies, digests, cpuMs, wallMs, mostBytes } = runAlone(competitor, drawn);
  return {
    ...talliedMeasures(tallies),
    ...rates(questionsOf(tallies), cpuMs / 1000),
    // One thread does the work of all.
    perSecond: questionsOf(tallies) / (wallMs / 1000),
    ...(mostBytes === undefined ? {} : { bytesPerAddress: mostBytes / fleet.resources }),
    disagreeing: new Set(digests).size - 1,
  };
}

async function measuredApart(competitorUrl: string, params: SurveyParams, drawn: Drawn): Promise<Measures> {
  if (params.between === "broadcast-channel")
    return measuredUntilEnd(await startThreads(competitorUrl, params, drawn), params, drawn);
  return withBroker(async (broker) =>
    measuredUntilEnd(await startProcesses(competitorUrl, params, drawn, broker), params, drawn),
  );
}

async function measuredUntilEnd(cluster: Cluster, { fleet }: SurveyParams, drawn: Drawn): Promise<Measures> {
  try {
    const { audit: audited, reports } = await finish(cluster, drawn);
    return { ...auditedMeasures(audited), ...reportedMeasures(reports, fleet.resources) };
  } finally {
    await cluster.stop();
  }
}

function auditedMeasures({ digests, acknowledged, unknown }: Audit): Measures {
  return { acknowledged, unknown, disagreeing: new Set(digests).size - 1 };
}

function reportedMeasures(reports: readonly Report[], resources: number): Measures {
  const tallies = reports.map(({ tally }) => tally);
  const sum = (numberOf: (report: Report) => number) =>
    reports.reduce((total, report) => total + numberOf(report), 0);
  const most = (numberOf: (report: Report) => number) => Math.max(...reports.map(numberOf));
  const held = reports.flatMap(({ mostBytes }) => (mostBytes === undefined ? [] : [mostBytes]));
  const cpuSeconds = sum(({ cpuMs }) => cpuMs) / 1000;
  return {
    ...talliedMeasures(tallies),
    ...rates(questionsOf(tallies), cpuSeconds),
    perSecond: questionsOf(tallies) / reports.length / (most(({ wallMs }) => wallMs) / 1000),
    ...(held.length === 0 ? {} : { bytesPerAddress: Math.max(...held) / resources }),
    sentPerClaim:
      sum(({ sentBytes }) => sentBytes) /
      Math.max(
        1,
        sum(({ sentClaims }) => sentClaims),
      ),
    // One collector has nobody to hear.
    ...(reports.length === 1
      ? {}
      : {
          heardP50: most(({ heardAfterUs }) => heardAfterUs.p50) / 1000,
          heardP99: most(({ heardAfterUs }) => heardAfterUs.p99) / 1000,
        }),
  };
}

/** What the document's collectors attribute, on 30 instances of 8 virtual cores. */
const DOCUMENTED_PER_SECOND = 5_000_000;

function rates(reports: number, cpuSeconds: number): Measures {
  return {
    perCpuSecond: reports / cpuSeconds,
    coresFor5M: (DOCUMENTED_PER_SECOND * cpuSeconds) / reports,
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
    unserved: tallies.reduce((sum, { unserved }) => sum + unserved, 0),
    ...(delayP50 === undefined ? {} : { delayP50 }),
    ...(delayP99 === undefined ? {} : { delayP99 }),
  };
}

function questionsOf(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, { questions }) => sum + questions, 0);
}

/** By when this share of all flows was attributed; undefined where fewer ever were, or so late that nobody counted. */
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
function brokenLaw(measures: Measures): string | undefined {
  const {
    wrong,
    lookups,
    unserved,
    disagreeing,
    unknown = 0,
    acknowledged = 0,
  } = measures as Required<Measures>;
  const shares = (missingAfterHoldback: number, missingAtLast: number) => ({
    wrong,
    lookups,
    missingAfterHoldback,
    missingAtLast,
  });
  return (
    nobodyIsBlamedWrongly(wrong, lookups) ??
    everyQuestionIsAsked(unserved) ??
    (disagreeing === 0 ? undefined : collectorsAgree(["one", "another"])) ??
    acknowledgedIsKnown(unknown, acknowledged) ??
    sharesAreTheSimulations(
      shares(measures.missingAfterHoldback!, measures.missingAtLast!),
      shares(measures.simulatedAfterHoldback!, measures.simulatedAtLast!),
    )
  );
}

const REJOIN_METRICS = {
  claims: { title: "Claims that are kept", unit: "", digits: 0 },
  ranges: { title: "Ranges that are known", unit: "", digits: 0 },
  agreed: { title: "Start to agreement", unit: "s", digits: 2 },
  replay: { title: "Replay alone", unit: "s", digits: 2 },
  messages: { title: "Messages replayed", unit: "", digits: 0 },
  disagreeing: METRICS.disagreeing,
  unknown: METRICS.unknown,
} satisfies Record<string, Metric>;

/** A document's promise is minutes; a person who looks on waits for less. */
const AGREED_WITHIN_S = 10;

/** One of three collectors is killed when the last flow has begun, and comes back: until it knows what its peers know. */
export function rejoinSurvey({ params, ...described }: Omit<Described, "competitors">): Scenario {
  return survey<OwnershipCompetitor, SurveyParams>({
    ...described,
    headline: false,
    baseline: "flat-sorted-arrays",
    competitors: COMPETITORS,
    params,
    mostForks: 3,
    metrics: REJOIN_METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet.resources * fleet.horizonMs, nodes),
    absent: () => brokerAbsent(),
    run: (_competitor, run, seed, { competitorUrl }) => {
      const drawn = drawRun(run, seed);
      return withBroker((broker) => measuredRejoin(competitorUrl, run, drawn, broker));
    },
    law: (_competitor, _params, { disagreeing, unknown, agreed, claims }) =>
      (disagreeing === 0 ? undefined : collectorsAgree(["one", "another"])) ??
      acknowledgedIsKnown(unknown!, claims!) ??
      (agreed! <= AGREED_WITHIN_S ? undefined : `agreement took ${agreed!.toFixed(1)} s`),
  });
}

async function measuredRejoin(competitorUrl: string, run: SurveyParams, drawn: Drawn, broker: Broker) {
  const cluster = await startProcesses(competitorUrl, run, drawn, broker);
  try {
    await cluster.runTo(Math.floor(drawn.plan.horizonMs / STEP_MS));
    await cluster.settle();
    await cluster.kill(0);
    const begunMs = performance.now();
    const { replayed, replayMs } = await cluster.revive(0);
    await cluster.settle();
    const agreedMs = performance.now() - begunMs;
    const { digests, ranges, acknowledged, unknown } = await audit(cluster, drawn);
    return {
      claims: acknowledged,
      ranges,
      agreed: agreedMs / 1000,
      replay: replayMs / 1000,
      messages: replayed,
      disagreeing: new Set(digests).size - 1,
      unknown,
    };
  } finally {
    await cluster.stop();
  }
}

const MISHAP_METRICS = {
  wrong: METRICS.wrong,
  lookups: METRICS.lookups,
  unserved: METRICS.unserved,
  missingMeanwhile: { title: "Unattributed after 60 s, until all has healed", unit: "%", digits: 2 },
  faultlessMeanwhile: { title: "Without the mishap", unit: "%", digits: 2 },
  missingHealed: { title: "Unattributed after 60 s, from then on", unit: "%", digits: 2 },
  faultlessHealed: { title: "Without the mishap, from then on", unit: "%", digits: 2 },
  acknowledged: METRICS.acknowledged,
  unknown: METRICS.unknown,
  disagreeing: METRICS.disagreeing,
  repeated: { title: "Messages told again", unit: "", digits: 0 },
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
    headline: false,
    baseline: "flat-sorted-arrays",
    competitors: ["flat-sorted-arrays"],
    params,
    mostForks: 2,
    secondsPerFork: 15,
    metrics: MISHAP_METRICS,
    bytesPerWorker: (_competitor, { fleet, nodes }) => bytesOf(fleet.resources * fleet.horizonMs, nodes),
    absent: () => brokerAbsent(),
    async run(competitor, plan, seed, { competitorUrl }) {
      const drawn = drawRun(plan, seed);
      const faultless = runAlone(competitor as ClaimsCompetitor, drawn).tallies;
      return mishapMeasures(await runMishap(competitorUrl, mishap, plan, drawn, plan.span), faultless, plan);
    },
    law: (_competitor, _params, { wrong, lookups, unknown, acknowledged, disagreeing, ...shares }) =>
      nobodyIsBlamedWrongly(wrong!, lookups!) ??
      acknowledgedIsKnown(unknown!, acknowledged!) ??
      (disagreeing === 0 ? undefined : collectorsAgree(["one", "another"])) ??
      unknownIsHealed(shares.missingHealed!, shares.faultlessHealed!),
  });
}

function mishapMeasures(
  { audit: audited, reports, slowConsumers }: Mishapped,
  faultless: readonly Tally[],
  { span, fleet }: MishapParams,
) {
  const tallies = reports.map(({ tally }) => tally);
  const healedAt = span.to + HEALS_WITHIN_STEPS;
  const end = Math.floor(fleet.horizonMs / STEP_MS);
  const count = (key: keyof Messages) => reports.reduce((sum, { messages }) => sum + messages[key], 0);
  const { wrong, lookups, unserved } = talliedMeasures(tallies);
  return {
    ...auditedMeasures(audited),
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
