import { isDeepStrictEqual } from "node:util";
import type { OwnershipCompetitor } from "../../structures/ownership/ownership.contract.ts";
import type { Sizes } from "../engine/race.ts";
import {
  type Metric,
  type Outcome,
  type Scenario,
  type SeriesChart,
  simulation,
} from "../shared/vocabulary.ts";
import {
  BUCKET_S,
  CONFLICTING,
  type Faults,
  HOLDBACK,
  LAGS_S,
  leastCapacity,
  NO_FAULTS,
  NONE,
  RIGHT,
  runCluster,
  type Seen,
  WRONG,
} from "./collector.ts";
import { COMMON_LONG_SHARE, drawFleet, type FleetPlan, someFleet } from "./fleet.ts";

/**
 * Question: what does each fault cost a cluster of collectors: wrong owners, or only missing ones, and does it heal?
 * Workload and why it is realistic: the source's collector. Agents report the flows that closed, in batches of a minute
 *   (fleet.ts). Nodes broadcast the claims in them, and ask which owner the far end of each flow was when it began.
 *   They ask when its report comes, after a holdback of 60 s, and in five retries (collector.ts). Faults are as large
 *   as the fact sheet's where it names a size. Its figures are not to be expected here, except the one that the fleet
 *   was chosen by. It counts its holdback from when a flow closes; these count from when the report of it comes, which
 *   is up to a minute later. A question is asked again at each lag, answered or not: what a restart forgot is missing
 *   then.
 * Not measured: time. How fast claims and lookups are is the races' business.
 * How to run: npm run bench -- ownership/fault; faults-quick is the one without arguments
 */
export interface FaultParams {
  readonly fleet: FleetPlan;
  readonly faults: Faults;
  /** The law: a run that asks less has not done its work. */
  readonly leastLookups: number;
}

export const MINUTE_MS = 60_000;

export const FLEET: FleetPlan = {
  resources: 300,
  owners: 100,
  horizonMs: 180 * MINUTE_MS,
  ownershipMsMean: 3 * MINUTE_MS,
  longShare: COMMON_LONG_SHARE,
};
/** Of each seed. All full fleets make some 6 % more, to spare for seeds that make fewer. */
export const FULL_LOOKUPS = 5_000_000;
/** Fleets for a fault, each with the same plan: one alone would not show how much of a share is its own. */
export const SEEDS = 3;
/** Of about 100,000 questions: a tenth as long, with some more addresses. */
export const SMALL_FLEET: FleetPlan = { ...FLEET, resources: 400, owners: 130, horizonMs: 18 * MINUTE_MS };
export const SMALL_LOOKUPS = 600_000;
const SMOKE_FLEET: FleetPlan = { ...FLEET, resources: 30, owners: 10, horizonMs: 6 * MINUTE_MS };
const SMOKE_LOOKUPS = 15_000;

/**
 * One of each rule, and two of `evidence`, whose structures all answer alike. Their own laws hold them to that, and a
 * test checks all of them on the news of faults-quick.
 */
const ONE_OF_EACH_RULE = [
  "sorted-arrays",
  "flat-sorted-arrays",
  "trailing-rule",
  "event-time-log",
  "arrival-log",
];
/**
 * A rule by which the first or the last claim is right differs from them only where two claims contradict each other.
 */
const WHERE_CLAIMS_ARE_FALSE = [...ONE_OF_EACH_RULE, "first-claim", "last-claim"];

/** For the least that a node must hold: a structure that needs more than this grows with time itself. */
const MOST_WORDS = 2 ** 22;

/** Shares are of the questions; "after" counts from when a report comes. */
export const FAULT_METRICS = {
  wrongAtOnce: { title: "Misattributed at once", unit: "%", digits: 3 },
  missingAtOnce: { title: "Unattributed at once", unit: "%", digits: 2 },
  wrongAfterHoldback: { title: "Misattributed after 60 s", unit: "%", digits: 3 },
  missingAfterHoldback: { title: "Unattributed after 60 s", unit: "%", digits: 2 },
  wrongAtLast: { title: "Misattributed after 360 s", unit: "%", digits: 3 },
  missingAtLast: { title: "Unattributed after 360 s", unit: "%", digits: 2 },
  noEvidenceAtLast: { title: "No evidence after 360 s", unit: "%", digits: 2 },
  conflictAtLast: { title: "Conflict after 360 s", unit: "%", digits: 2 },
  wrongBridged: { title: "Misattributed after 360 s, gaps of 60 s bridged", unit: "%", digits: 3 },
  missingBridged: { title: "Unattributed after 360 s, gaps of 60 s bridged", unit: "%", digits: 2 },
  wrong: { title: "Misattributed, all lookups at all lags", unit: "", digits: 0 },
  lookups: { title: "Lookups", unit: "", digits: 0 },
  recovered: { title: "Recovered of those unattributed after 60 s", unit: "%", digits: 1 },
  recoveryP50: { title: "Recovery p50 of those that recovered, in whole retries", unit: "s", digits: 0 },
  recoveryP99: { title: "Recovery p99 of those that recovered, in whole retries", unit: "s", digits: 0 },
  falseEdges: { title: "False dependencies from 60 s on", unit: "pairs of owners", digits: 0 },
  bytesPerResource: { title: "Held at most, private typed arrays", unit: "B/resource and node", digits: 0 },
} satisfies Record<string, Metric>;

/** Absent where it never came to that, and where fewer had been right before: so that absence means nothing. */
const REBUILT = {
  rebuilt: { title: "99 % right again after", unit: "s", digits: 0 },
} satisfies Record<string, Metric>;

type Measures = Partial<Record<keyof typeof FAULT_METRICS | keyof typeof REBUILT, number>>;

function metricsOf(competitor: OwnershipCompetitor, seen: Seen, { fleet }: FaultParams): Measures {
  const { answers, recovered, bridged, bytes } = seen;
  const percent = (count: number) => (100 * count) / seen.questions;
  const wrong = (lag: number) => percent(answers[lag]![WRONG]!);
  const missing = (lag: number) => percent(answers[lag]![NONE]! + answers[lag]![CONFLICTING]!);
  const last = LAGS_S.length - 1;
  const unattributed = answers[HOLDBACK]![NONE]! + answers[HOLDBACK]![CONFLICTING]!;
  const healed = recovered.reduce((sum, count) => sum + count, 0);
  return {
    wrongAtOnce: wrong(0),
    missingAtOnce: missing(0),
    wrongAfterHoldback: wrong(HOLDBACK),
    missingAfterHoldback: missing(HOLDBACK),
    wrongAtLast: wrong(last),
    missingAtLast: missing(last),
    noEvidenceAtLast: percent(answers[last]![NONE]!),
    conflictAtLast: percent(answers[last]![CONFLICTING]!),
    ...(bridgesGaps(competitor)
      ? {
          wrongBridged: percent(bridged[WRONG]!),
          missingBridged: percent(bridged[NONE]! + bridged[CONFLICTING]!),
        }
      : {}),
    wrong: wrongAnswers(seen),
    lookups: seen.lookups,
    ...(unattributed === 0 ? {} : { recovered: (100 * healed) / unattributed }),
    ...(healed === 0
      ? {}
      : { recoveryP50: recoverySeconds(recovered, 0.5), recoveryP99: recoverySeconds(recovered, 0.99) }),
    falseEdges: seen.falseEdges.reduce((sum, edge) => sum + edge, 0),
    ...(bytes === undefined ? {} : { bytesPerResource: bytes / fleet.resources }),
  };
}

/** Logs know no gaps, and a structure that prolongs the trailing range leaves none within an owner's time. */
function bridgesGaps({ hears, rule }: OwnershipCompetitor): boolean {
  return hears === "claims" && rule !== "trailing";
}

function wrongAnswers({ answers }: Seen): number {
  return answers.reduce((sum, kinds) => sum + kinds[WRONG]!, 0);
}

/** From the end of the holdback to the retry by which this share of the recovered lookups had recovered. */
function recoverySeconds(recovered: Int32Array, share: number): number {
  const rank = Math.ceil(share * recovered.reduce((sum, count) => sum + count, 0));
  let passed = 0;
  const lag = recovered.findIndex((count) => {
    passed += count;
    return passed >= rank;
  });
  return LAGS_S[lag]! - LAGS_S[HOLDBACK]!;
}

function brokenLaw(
  competitor: OwnershipCompetitor,
  { faults, leastLookups }: FaultParams,
  seen: Seen,
): string | undefined {
  const { sent, lost, delivered, inFlight } = seen.traffic;
  const answered = seen.answers.reduce((sum, kinds) => sum + kinds.reduce((all, count) => all + count), 0);
  if (seen.lookups < leastLookups) return `${seen.lookups} lookups were made, of at least ${leastLookups}`;
  if (seen.lookups !== seen.questions * LAGS_S.length)
    return `${seen.lookups} lookups were made for ${seen.questions} questions with ${LAGS_S.length} each`;
  if (answered !== seen.lookups) return `${seen.lookups} lookups had ${answered} answers`;
  if (lost + delivered + inFlight !== sent)
    return `${sent} pieces of news were sent, ${lost} lost, ${delivered} delivered and ${inFlight} on the way`;
  if (seen.refused > 0) return `${seen.refused} claims were forgotten before they came`;
  if (competitor.rule === "evidence" && claimsAreTrue(faults)) {
    const wrong = wrongAnswers(seen);
    if (wrong > 0)
      return `${wrong} of ${seen.lookups} lookups blamed the wrong owner, though all claims were true`;
  }
  if (competitor.rule === "evidence" && isDeepStrictEqual(faults, NO_FAULTS)) {
    const right = seen.answers.at(-1)![RIGHT]!;
    if (right !== seen.questions)
      return `${right} of ${seen.questions} questions were answered rightly in the end, though nothing went wrong`;
  }
  return undefined;
}

/** An agent whose clock is right claims only what its owner held. */
function claimsAreTrue({ skewMsMost, driftPpmMost, stepMsMost }: Faults): boolean {
  return skewMsMost === 0 && driftPpmMost === 0 && stepMsMost === 0;
}

function competitorsUnder(faults: Partial<Faults>): readonly string[] {
  return claimsAreTrue({ ...NO_FAULTS, ...faults }) ? ONE_OF_EACH_RULE : WHERE_CLAIMS_ARE_FALSE;
}

function absent(competitor: OwnershipCompetitor, { fleet }: Pick<FaultParams, "fleet">): string | undefined {
  return competitor.words(leastCapacity(fleet)) > MOST_WORDS
    ? "its memory grows with every millisecond of the minutes that a node looks back"
    : undefined;
}

function sized(faults: Partial<Faults>, full: FleetPlan, leastLookups: number, fleet: Partial<FleetPlan>) {
  const all = { ...NO_FAULTS, ...faults };
  return {
    full: { fleet: { ...full, ...fleet }, faults: all, leastLookups },
    smoke: { fleet: { ...SMOKE_FLEET, ...fleet }, faults: all, leastLookups: SMOKE_LOOKUPS },
  } satisfies Sizes<FaultParams>;
}

export interface FaultScenario {
  readonly scenario: string;
  readonly title: string;
  readonly faults: Partial<Faults>;
  readonly fleet?: Partial<FleetPlan>;
  /** At full size. */
  readonly horizonMs?: number;
  readonly showsRestart?: boolean;
}

/** One fault, at full size, for one competitor of each rule. */
export function singleFault({
  faults,
  fleet = {},
  horizonMs = FLEET.horizonMs,
  ...described
}: FaultScenario): Scenario {
  return clusterScenario({
    ...described,
    headline: false,
    competitors: competitorsUnder(faults),
    seeds: SEEDS,
    secondsPerSeed: 5,
    params: sized(faults, { ...FLEET, horizonMs }, FULL_LOOKUPS, fleet),
  });
}

/** Of half an hour of 200 addresses. */
const SOME_FLEET: FleetPlan = { ...FLEET, resources: 200, owners: 65, horizonMs: 40 * MINUTE_MS };
/** Of the fleet with the fewest flows that may be drawn, half of what is expected. */
const SOME_LOOKUPS = 50_000;
const SOME_SMOKE_LOOKUPS = 1_000;

/** Of twenty, with 10 % lost, 15 were within a bound in one draw and all in the next. */
const ANY_FLEETS = 100;

/** The result of a fault in fleets with nothing chosen, another from each seed. */
export function anyFleet({ faults, ...described }: Omit<FaultScenario, "fleet" | "horizonMs">): Scenario {
  const { full, smoke } = sized(faults, SOME_FLEET, SOME_LOOKUPS, {});
  return clusterScenario({
    ...described,
    headline: false,
    competitors: ["sorted-arrays", "trailing-rule", "event-time-log"],
    seeds: ANY_FLEETS,
    secondsPerSeed: 0.7,
    params: { full, smoke: { ...smoke, leastLookups: SOME_SMOKE_LOOKUPS } },
    planFrom: someFleet,
  });
}

interface ClusterScenario {
  readonly scenario: string;
  readonly title: string;
  readonly headline: boolean;
  readonly competitors?: readonly string[];
  readonly secondsPerSeed: number;
  readonly params: Sizes<FaultParams>;
  /** As in a simulation. */
  readonly seeds?: number;
  /** Makes another fleet of each seed; all have the same plan if absent. */
  readonly planFrom?: (plan: FleetPlan, seed: number) => FleetPlan;
  /** Whether what a restart costs, and for how long, can be seen: where nothing else goes wrong. */
  readonly showsRestart?: boolean;
}

export function clusterScenario({
  showsRestart = false,
  planFrom = (plan) => plan,
  ...described
}: ClusterScenario): Scenario {
  return simulation<OwnershipCompetitor, FaultParams>({
    ...described,
    baseline: "sorted-arrays",
    metrics: showsRestart ? { ...FAULT_METRICS, ...REBUILT } : FAULT_METRICS,
    ...(showsRestart ? { chart: restartChart(described.params.full) } : {}),
    absent,
    run(competitor, params, seed): Outcome {
      const fleet = drawFleet(planFrom(params.fleet, seed), seed);
      const seen = runCluster(competitor, fleet, params.faults, seed);
      return {
        metrics: {
          ...metricsOf(competitor, seen, params),
          ...(showsRestart ? rebuiltAfter(seen, params) : {}),
        },
        series: showsRestart ? seriesAroundRestart(seen, params) : {},
        evidence: seen,
      };
    },
    law: (competitor, params, { evidence }) => brokenLaw(competitor, params, evidence as Seen),
  });
}

/** Shown before and after a restart, in s. */
const SHOWN_BEFORE_S = 120;
const SHOWN_AFTER_S = 1200;

const SHARES = [
  { key: "wrong", title: "misattributed" },
  { key: "missing", title: "unattributed" },
] as const;

/** A bucket's share stands at the bucket's end, so that no restart is seen before its time. */
function restartChart(params: FaultParams): SeriesChart {
  return {
    title: "answers around the restart, 60 s after the report",
    unit: "%",
    lines: SHARES,
    stepSeconds: BUCKET_S,
    fromSeconds: (1 - shownBuckets(params).before) * BUCKET_S,
  };
}

function restartBucket({ fleet }: FaultParams): number {
  return Math.floor(fleet.horizonMs / 2 / 1000 / BUCKET_S);
}

function shownBuckets(params: FaultParams) {
  const halfway = restartBucket(params);
  return {
    before: Math.min(halfway, SHOWN_BEFORE_S / BUCKET_S),
    after: Math.min(halfway, SHOWN_AFTER_S / BUCKET_S),
  };
}

function seriesAroundRestart({ buckets }: Seen, params: FaultParams): Outcome["series"] {
  const { before, after } = shownBuckets(params);
  const wrong: number[] = [];
  const missing: number[] = [];
  for (let bucket = restartBucket(params) - before; bucket < restartBucket(params) + after; bucket++) {
    const given = Math.max(1, givenIn(buckets, bucket));
    wrong.push((100 * buckets[WRONG]![bucket]!) / given);
    missing.push((100 * (buckets[NONE]![bucket]! + buckets[CONFLICTING]![bucket]!)) / given);
  }
  return { wrong, missing };
}

/** Answers of all kinds. */
function givenIn(buckets: Seen["buckets"], bucket: number): number {
  return buckets.reduce((sum, counts) => sum + counts[bucket]!, 0);
}

/** To the end of the first bucket after the restart's own in which 99 % of answers are right, as they were before. */
function rebuiltAfter({ buckets }: Seen, params: FaultParams): Measures {
  const restart = restartBucket(params);
  if (!isNearlyAllRight(buckets, restart - 1)) return {};
  for (let bucket = restart + 1; bucket < buckets[RIGHT]!.length; bucket++)
    if (isNearlyAllRight(buckets, bucket)) return { rebuilt: (bucket + 1 - restart) * BUCKET_S };
  return {};
}

function isNearlyAllRight(buckets: Seen["buckets"], bucket: number): boolean {
  const given = givenIn(buckets, bucket);
  return given > 0 && buckets[RIGHT]![bucket]! >= 0.99 * given;
}

/** All that leave claims true. Each is milder than alone, or nothing would be left to attribute. */
export const TOGETHER: Partial<Faults> = {
  loss: 0.1,
  lossOfVisits: 0.2,
  delay: { kind: "pareto", msLeast: 1000, shape: 1.1 },
  duplicated: 0.1,
  reorderedMsMost: 10_000,
  restarted: [0],
  deaf: [1],
};
const TOGETHER_FLEET = { ownershipMsMean: 2 * MINUTE_MS, longShare: 0.2 };

export function allTogether(fleet: FleetPlan, leastLookups: number): Sizes<FaultParams> {
  return sized(TOGETHER, fleet, leastLookups, TOGETHER_FLEET);
}
