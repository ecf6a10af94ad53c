import { setTimeout as pass } from "node:timers/promises";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import type { HeartbeatCompetitor } from "../../structures/heartbeats/heartbeats.contract.ts";
import { runFleet } from "../../structures/heartbeats/parts/fleet.ts";
import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import { type LinesChart, type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import { ACCOUNT_METRICS, type Accounts, accountsOf, brokenLaw } from "./accounts.ts";
import { sharedNowMs } from "./clock.ts";
import { Fleet, type FleetPlan } from "./coordinator.ts";

/** The messages of each second that a server receives under one schedule, beside what the simulation of heartbeats says. */
export interface SeriesParams {
  readonly plan: Omit<FleetPlan, "slots">;
  /** Between two beats of a client, in seconds of the series. */
  readonly interval: number;
  readonly intervals: number;
  /** What a second of the series takes. */
  readonly secondMs: number;
}

/**
 * A scheduler of heartbeats, and which process asks it: each client process for its own clients, or each server for its
 * clients.
 */
export interface Scheduled {
  readonly name: string;
  readonly scheduler: HeartbeatCompetitor;
  readonly askedBy: "clients" | "servers";
}

const SCHEDULERS = new URL("../../structures/heartbeats/competitors/", import.meta.url);
/** Seeds of the simulation whose 5 % and 95 % are the band, and others that are held against it. */
const BAND_SEEDS = 40;
const OTHER_SEEDS = 20;
const LOW = 0.05;
const HIGH = 0.95;
/** From when all know the schedule to its first second, in ms. */
const START_MS = 500;

const METRICS = {
  inBand: { title: "Seconds in the band", unit: "%", digits: 1 },
  expectedInBand: { title: "of simulations", unit: "%", digits: 1 },
  peak: { title: "Peak", unit: "messages/s", digits: 0 },
  predictedPeak: { title: "simulated", unit: "messages/s", digits: 0 },
  low: { title: "Low", unit: "messages/s", digits: 0 },
  predictedLow: { title: "simulated", unit: "messages/s", digits: 0 },
  connections: { title: "Connections", unit: "", digits: 0 },
  ...ACCOUNT_METRICS,
} satisfies Record<string, Metric>;

const CHART: LinesChart = {
  title: "messages",
  unit: "messages/s",
  stepSeconds: 1,
  lines: [
    { key: "received", title: "received" },
    { key: "low", title: "simulated, 5 %" },
    { key: "high", title: "simulated, 95 %" },
  ],
};

export function messageSeries(
  described: { readonly scenario: string; readonly title: string },
  scheduled: Scheduled,
  params: { readonly full: SeriesParams; readonly smoke: SeriesParams },
): Scenario {
  return survey<ConnectionsCompetitor, SeriesParams>({
    ...described,
    headline: false,
    baseline: "hashed-wheel",
    competitors: ["hashed-wheel"],
    params,
    metrics: METRICS,
    chart: CHART,
    mostForks: 1,
    secondsPerFork: (params.full.interval * params.full.intervals * params.full.secondMs) / 1000,
    run: (competitor, ofSize, seed, { competitorUrl, draw }) => {
      const url = new URL(`${scheduled.name}.ts`, SCHEDULERS).href;
      const { interval } = ofSize;
      const slots = { url, interval, seed };
      const plan = scheduled.askedBy === "servers" ? { ...ofSize.plan, slots } : ofSize.plan;
      return Fleet.with(plan, async (fleet) => {
        const seen = await receivedBy(fleet, competitor, competitorUrl, ofSize, scheduled, { url, seed });
        const foreseen = predicted(seen.sizes, ofSize, scheduled.scheduler, seed);
        draw({ received: seen.messages, low: foreseen.low, high: foreseen.high });
        return { ...seen.accounts, ...compared(seen.messages, foreseen), connections: fleet.connections };
      });
    },
    law: (_competitor, { plan: { timeoutMs } }, metrics) =>
      brokenLaw(metrics as typeof metrics & Accounts, { timeoutMs, closesTheDead: true }),
  });
}

interface Received {
  /** By second. */
  readonly messages: readonly number[];
  /** Clients of each process that asks a scheduler of its own. */
  readonly sizes: readonly number[];
  readonly accounts: Accounts;
}

async function receivedBy(
  fleet: Fleet,
  watcher: ConnectionsCompetitor,
  watcherUrl: string,
  { plan, interval, intervals, secondMs }: SeriesParams,
  { askedBy }: Scheduled,
  scheduler: { readonly url: string; readonly seed: number },
): Promise<Received> {
  const seconds = interval * intervals;
  await fleet.watch(watcherUrl);
  await fleet.connect(0);
  const sizes = askedBy === "servers" ? (await fleet.read()).map(({ open }) => open) : fleet.clientsByProcess;
  const at = { originMs: sharedNowMs() + START_MS, secondMs, seconds };
  await fleet.count(at);
  await fleet.schedule({ ...at, interval, ...(askedBy === "servers" ? {} : { scheduler }) });
  await pass(at.originMs - sharedNowMs() + seconds * secondMs);
  const messages = await fleet.counted();
  return { messages, sizes, accounts: accountsOf(plan.timeoutMs, watcher, await fleet.leave()) };
}

interface Predicted {
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Series of seeds that the band is not made of. */
  readonly others: readonly (readonly number[])[];
}

/** As many simulations side by side as processes ask a scheduler; the fleet's messages are the sum of theirs. */
function predicted(
  sizes: readonly number[],
  { interval, intervals }: SeriesParams,
  { create }: HeartbeatCompetitor,
  seed: number,
): Predicted {
  const messagesOf = (clients: number, from: number) =>
    runFleet(
      create(interval, from),
      {
        clients,
        interval,
        horizon: interval * intervals,
        observedIntervals: 1,
        arrivals: { kind: "all-at-once" },
        churn: { kind: "none" },
      },
      from,
    ).messages;
  const series = Array.from({ length: BAND_SEEDS + OTHER_SEEDS }, (_, index) => {
    const parts = sizes.map((clients, part) =>
      messagesOf(clients, derivedSeed(seed, 1 + index * sizes.length + part)),
    );
    return [...parts[0]!.keys()].map((second) => parts.reduce((sum, part) => sum + part[second]!, 0));
  });
  const band = series.slice(0, BAND_SEEDS);
  const at = (share: number) => (_: number, second: number) =>
    quantile(band.map((messages) => messages[second]!).sort(ascending), share);
  return { low: band[0]!.map(at(LOW)), high: band[0]!.map(at(HIGH)), others: series.slice(BAND_SEEDS) };
}

function compared(messages: readonly number[], { low, high, others }: Predicted): Record<string, number> {
  const inBand = (values: readonly number[]) =>
    (100 * values.filter((value, second) => value >= low[second]! && value <= high[second]!).length) /
    values.length;
  return {
    inBand: inBand(messages),
    expectedInBand: quantile(others.map(inBand).sort(ascending), 0.5),
    peak: Math.max(...messages),
    predictedPeak: quantile(others.map((other) => Math.max(...other)).sort(ascending), 0.5),
    low: Math.min(...messages),
    predictedLow: quantile(others.map((other) => Math.min(...other)).sort(ascending), 0.5),
  };
}
