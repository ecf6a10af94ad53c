import appendOnly from "../../structures/dispatch/competitors/append-only.ts";
import ringOfSlots from "../../structures/dispatch/competitors/ring-of-slots.ts";
import type { HeartbeatCompetitor } from "../../structures/heartbeats/heartbeats.contract.ts";
import {
  level,
  levelForSurvivors,
  nobodyIsLost,
  observedMessages,
  punctual,
} from "../../structures/heartbeats/heartbeats.laws.ts";
import {
  type Evenness,
  evennessOf,
  settledAfter,
  waveFallsTo,
  waveOf,
} from "../../structures/heartbeats/parts/evenness.ts";
import {
  type FleetPlan,
  type FleetSeen,
  type ListMaker,
  runFleet,
} from "../../structures/heartbeats/parts/fleet.ts";
import type { Sizes } from "../engine/race.ts";
import {
  type Metric,
  type Outcome,
  type Scenario,
  type SeriesChart,
  simulation,
} from "../shared/vocabulary.ts";

/** What fleets are simulated, what is read off them, and how that becomes a scenario. */
export interface FleetParams {
  readonly plan: FleetPlan;
  /**
   * How due clients are found. `in-order`: by a list that keeps them by when they are due. `append-only`: by the
   * source's first list, which takes them late once they are entered out of order.
   */
  readonly list: "in-order" | "append-only";
}

/** The source's fleet: 10,000 clients that all connect at 0, an interval of 600 s, 6 h; and one that tests have time for. */
export function fleet(changes: Partial<FleetPlan> = {}, smoke: Partial<FleetPlan> = {}): Sizes<FleetParams> {
  const { storm } = changes;
  const full: FleetPlan = {
    clients: 10_000,
    interval: 600,
    horizon: 6 * HOUR_S,
    // Enough to see a pattern repeat.
    observedIntervals: 2,
    arrivals: { kind: "all-at-once" },
    churn: { kind: "none" },
    ...changes,
  };
  return {
    full: { plan: full, list: "in-order" },
    smoke: {
      plan: {
        ...full,
        clients: 500,
        interval: 60,
        horizon: 1200,
        ...(storm === undefined ? {} : { storm: { ...storm, at: 600 } }),
        ...smoke,
      },
      list: "in-order",
    },
  };
}

/** The same fleets behind the source's first dispatch list. */
export function appendedOnly({ full, smoke }: Sizes<FleetParams>): Sizes<FleetParams> {
  return { full: { ...full, list: "append-only" }, smoke: { ...smoke, list: "append-only" } };
}

export const HOUR_S = 3600;

/** Clients that live for an hour on average and reconnect at once. */
export const CHURN = { kind: "lives", meanLife: HOUR_S, meanAway: 0 } as const;
export const CHURN_SMOKE = { ...CHURN, meanLife: 120 };

/** Half of the fleet drops out halfway, and connects again at once or never. */
export function stormOfHalf(returns: boolean): Sizes<FleetParams> {
  return fleet({ storm: { at: 3 * HOUR_S, share: 0.5, returns } });
}

/**
 * Messages: of the observed intervals unless the title says otherwise. Wave: the amplitude at one interval over the mean.
 * Off: how far two heartbeats of a client deviate from the interval. Waits: from a connect to the first heartbeat, of
 * clients that stayed until then. Both cover the whole run.
 */
export const METRICS = {
  peak: { title: "Peak", unit: "messages/s", digits: 0 },
  low: { title: "Low", unit: "messages/s", digits: 0 },
  range: { title: "Peak - low", unit: "messages/s", digits: 0 },
  median: { title: "Median", unit: "messages/s", digits: 0 },
  mean: { title: "Mean", unit: "messages/s", digits: 2 },
  meanOfTenSeconds: { title: "Mean of ten seconds", unit: "messages/10 s", digits: 0 },
  peakToMean: { title: "Peak / mean", unit: "", digits: 2 },
  cv: { title: "CV", unit: "", digits: 3 },
  dispersion: { title: "Variance / mean", unit: "", digits: 2 },
  gini: { title: "Gini", unit: "", digits: 3 },
  wave: { title: "Wave", unit: "", digits: 3 },
  settled: { title: "Settled after", unit: "h", digits: 2, absentMeans: "never" },
  waveFallsToTenth: { title: "Wave at 10 % after", unit: "h", digits: 2, absentMeans: "never" },
  firstPeak: { title: "First spike", unit: "messages/s", digits: 0 },
  lastPeak: { title: "Last spike", unit: "messages/s", digits: 0 },
  bend: { title: "Spike at half time off the straight line", unit: "% of the fall", digits: 0 },
  spikesApart: { title: "From spike to spike", unit: "s", digits: 0 },
  unlikeBefore: { title: "Seconds unlike an interval before", unit: "", digits: 0 },
  sent: { title: "Messages sent", unit: "% of one per interval", digits: 1 },
  timesInOrder: { title: "Peak / that of a list in order", unit: "", digits: 1 },
  worstLateness: { title: "Most overdue", unit: "s", digits: 0 },
  worstDeviation: { title: "Most off", unit: "s", digits: 0 },
  meanDeviation: { title: "Mean off", unit: "s", digits: 1 },
  overASecondOff: { title: "Over 1 s off", unit: "%", digits: 1 },
  meanWait: { title: "Mean wait", unit: "s", digits: 0 },
  longestWait: { title: "Longest wait", unit: "s", digits: 0 },
} satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** How evenly the messages of the observed intervals lie. */
export const EVENNESS: readonly MetricName[] = [
  "peak",
  "low",
  "range",
  "mean",
  "peakToMean",
  "cv",
  "dispersion",
  "gini",
  "wave",
];

/** How far heartbeats of a client are from an interval apart. */
export const OFF_INTERVAL: readonly MetricName[] = ["worstDeviation", "meanDeviation", "overASecondOff"];
/** Of fleets that a storm has struck. */
export const AFTER_A_STORM: readonly MetricName[] = [
  "settled",
  "peak",
  "low",
  "range",
  "peakToMean",
  "cv",
  ...OFF_INTERVAL,
];

export interface FleetScenario {
  readonly scenario: string;
  readonly title: string;
  readonly headline: boolean;
  readonly baseline: string;
  readonly competitors?: readonly string[];
  readonly params: Sizes<FleetParams>;
  readonly metrics: readonly MetricName[];
  readonly seeds: number;
  readonly secondsPerSeed?: number;
  /** `seconds`: every second of the run, as the source draws it. `minutes`: the least and the most of each minute. */
  readonly chart: "seconds" | "minutes";
}

export function fleetScenario({ metrics, chart, ...described }: FleetScenario): Scenario {
  return simulation<HeartbeatCompetitor, FleetParams>({
    ...described,
    metrics: Object.fromEntries(metrics.map((name) => [name, METRICS[name]])),
    chart: CHARTS[chart],
    run(competitor, params, seed) {
      const seen = runUnder(competitor, params, seed);
      const run: Run = { ...seen, ...params, competitor, seed, evenness: evennessOf(observedMessages(seen)) };
      return {
        metrics: Object.fromEntries(
          metrics.flatMap((name) => {
            const value = MEASURES[name](run);
            return value === undefined ? [] : [[name, value]];
          }),
        ),
        series: seriesOf(seen.messages, chart),
        evidence: seen,
      };
    },
    law: brokenLaw,
  });
}

/** All schedulers, from enough seeds to see how far chance goes, held against the optimum for the clients there are. */
export function beyond(described: Omit<FleetScenario, "baseline" | "seeds" | "chart">): Scenario {
  return fleetScenario({
    ...described,
    baseline: "optimum",
    seeds: 20,
    secondsPerSeed: 0.04,
    chart: "minutes",
  });
}

const CHARTS: Readonly<Record<FleetScenario["chart"], SeriesChart>> = {
  seconds: { low: "messages", high: "messages", title: "messages", unit: "messages/s", stepSeconds: 1 },
  minutes: { low: "low", high: "peak", title: "messages", unit: "messages/s", stepSeconds: 60 },
};

function seriesOf(messages: Int32Array, chart: FleetScenario["chart"]): Outcome["series"] {
  if (chart === "seconds") return { messages: [...messages] };
  const low: number[] = [];
  const peak: number[] = [];
  for (let from = 0; from < messages.length; from += 60) {
    const minute = messages.subarray(from, from + 60);
    low.push(Math.min(...minute));
    peak.push(Math.max(...minute));
  }
  return { low, peak };
}

/** A late list is not the scheduler's fault: then it owes only that no client is lost beyond what the list is late. */
function brokenLaw(
  { deviation, spread, spreadOfSurvivors }: HeartbeatCompetitor,
  { list }: FleetParams,
  { evidence }: Outcome,
): string | undefined {
  const seen = evidence as FleetSeen;
  const { earlier, later } = deviation(seen.interval);
  if (list === "append-only") return nobodyIsLost(seen, { later: later + seen.worstLateness });
  return (
    punctual(seen, { earlier, later }) ??
    nobodyIsLost(seen, { later }) ??
    level(seen, spread) ??
    levelForSurvivors(seen, spreadOfSurvivors)
  );
}

function runUnder({ create }: HeartbeatCompetitor, { plan, list }: FleetParams, seed: number): FleetSeen {
  return runFleet(create(plan.interval, seed), plan, seed, LISTS[list]);
}

const LISTS: Readonly<Record<FleetParams["list"], ListMaker>> = {
  "in-order": ringOfSlots.create,
  "append-only": appendOnly.create,
};

/** Spikes lie up to this far apart, in intervals: with up to 300 s on top of 600. */
const SPIKE_INTERVALS = 1.5;

/** All that a figure is read off. */
interface Run extends FleetSeen, FleetParams {
  readonly competitor: HeartbeatCompetitor;
  readonly seed: number;
  /** Of the observed messages. */
  readonly evenness: Evenness;
}

const MEASURES: Readonly<Record<MetricName, (run: Run) => number | undefined>> = {
  peak: ({ evenness }) => evenness.peak,
  low: ({ evenness }) => evenness.low,
  range: ({ evenness: { peak, low } }) => peak - low,
  median(run) {
    const messages = observedMessages(run).toSorted();
    return messages[messages.length >> 1];
  },
  mean: ({ evenness }) => evenness.mean,
  meanOfTenSeconds: ({ evenness }) => 10 * evenness.mean,
  peakToMean: ({ evenness: { peak, mean } }) => peak / mean,
  cv: ({ evenness }) => evenness.cv,
  dispersion: ({ evenness }) => evenness.dispersion,
  gini: ({ evenness }) => evenness.gini,
  wave: (run) => waveOf(observedMessages(run), run.interval),
  settled: ({ messages, interval, plan: { storm } }) =>
    inHours(settledAfter(messages, interval, storm?.at ?? 0)),
  waveFallsToTenth: (run) => whenWaveFallsTo(0.1, run),
  firstPeak,
  lastPeak,
  bend(seen) {
    const { messages, interval } = seen;
    const first = firstPeak(seen);
    const last = lastPeak(seen);
    const middle = (interval + messages.length) / 2;
    const around = (SPIKE_INTERVALS * interval) / 2;
    const between = peakOf(messages, Math.round(middle - around), Math.round(middle + around));
    return first === last ? undefined : (100 * (between - (first + last) / 2)) / (first - last);
  },
  spikesApart({ messages }) {
    const half = peakOf(messages, 0, messages.length) / 2;
    const first = messages.findIndex((count) => count > half);
    const second = messages.subarray(first + 1).findIndex((count) => count > half);
    return second === -1 ? undefined : second + 1;
  },
  unlikeBefore({ messages, interval, observedFrom }) {
    let unlike = 0;
    for (let second = observedFrom; second < messages.length; second++)
      if (messages[second] !== messages[second - interval]) unlike++;
    return unlike;
  },
  sent: ({ interval, meanGap }) => (100 * interval) / meanGap,
  timesInOrder({ evenness, plan, competitor, seed }) {
    const inOrder = runUnder(competitor, { plan, list: "in-order" }, seed);
    return evenness.peak / evennessOf(observedMessages(inOrder)).peak;
  },
  worstLateness: ({ worstLateness }) => worstLateness,
  worstDeviation: ({ mostEarlier, mostLater }) => Math.max(mostEarlier, mostLater),
  meanDeviation: ({ meanDeviation }) => meanDeviation,
  overASecondOff: ({ overASecondOff }) => 100 * overASecondOff,
  meanWait: ({ meanWait }) => meanWait,
  longestWait: ({ longestWait }) => longestWait,
};

/** Of a scheduler that draws what it adds evenly from nothing to its deviation: its wave is that of the mean gap. */
function whenWaveFallsTo(strength: number, { messages, interval, competitor }: Run): number | undefined {
  const meanGap = interval + competitor.deviation(interval).later / 2;
  return inHours(waveFallsTo(strength, messages, meanGap, interval));
}

function firstPeak({ messages, interval }: FleetSeen): number {
  return peakOf(messages, interval, 2 * interval);
}

function lastPeak({ messages, interval }: FleetSeen): number {
  return peakOf(messages, messages.length - SPIKE_INTERVALS * interval, messages.length);
}

function peakOf(messages: Int32Array, from: number, to: number): number {
  return messages.subarray(from, to).reduce((peak, count) => Math.max(peak, count), 0);
}

function inHours(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds / HOUR_S;
}
