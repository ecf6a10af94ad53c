import { setTimeout as pass } from "node:timers/promises";
import type { ConnectionsCompetitor } from "../../structures/connections/connections.contract.ts";
import type { Sizes } from "../engine/race.ts";
import { ascending, mean, quantile, standardDeviation, studentQuantile } from "../engine/statistics.ts";
import { type Metric, type Scenario, type Survey, survey } from "../shared/vocabulary.ts";
import { ACCOUNT_METRICS, type Accounts, accountsOf, brokenLaw } from "./accounts.ts";
import { Fleet, type FleetPlan, type Mourned, TURN_TIMEOUTS, type Window } from "./coordinator.ts";
import type { Reading } from "./orders.ts";

/** What one watcher makes of a server whose clients beat, die, storm and leave. */
export interface FleetParams {
  readonly plan: Omit<FleetPlan, "bun">;
  /** Between two beats of a client, on the watchers' clock. */
  readonly beatMs: number;
  /** How many times as fast as time that clock goes, but for the pairs. */
  readonly speed: number;
  /** Timeouts that pass before any dies. */
  readonly steadyTimeouts: number;
  /** Shares of the clients that die, within one timeout, and that hang up and come again at once. */
  readonly deadShare: number;
  readonly stormShare: number;
  /** Turns of the watcher and of none, at a speed at which the servers have something to do. */
  readonly pairs: { readonly count: number; readonly speed: number };
}

/** What two cores were seen to do, clients and servers together. */
const CONNECTS_PER_SECOND = 2_000;
const NOBODY = new URL("../../structures/connections/competitors/nobody.ts", import.meta.url).href;
/** How sure the interval of a difference is. */
const CONFIDENCE = 0.95;

const METRICS = {
  cpu: { title: "CPU", unit: "us/beat", digits: 2 },
  user: { title: "user", unit: "us/beat", digits: 2 },
  system: { title: "system", unit: "us/beat", digits: 2 },
  aboveNobody: { title: "Above nobody", unit: "us/beat", digits: 2 },
  aboveNobodyOff: { title: "give or take", unit: "us/beat", digits: 2 },
  rss: { title: "RSS", unit: "kB/connection", digits: 1 },
  held: { title: "Held", unit: "kB/connection", digits: 2 },
  closedP50: { title: "Closed after p50", unit: "s", digits: 2 },
  closedP99: { title: "p99", unit: "s", digits: 2 },
  closedMax: { title: "max", unit: "s", digits: 2, over: "greatest" },
  delayP99: { title: "Loop delay p99", unit: "ms", digits: 1 },
  delayMax: { title: "max", unit: "ms", digits: 1, over: "greatest" },
  reconnects: { title: "Reconnects", unit: "per s", digits: 0 },
  connections: { title: "Connections", unit: "", digits: 0 },
  dead: { title: "Dead", unit: "", digits: 0 },
  ...ACCOUNT_METRICS,
} satisfies Record<string, Metric>;

type Metrics = Readonly<Record<string, number>>;

export function watchedFleet(
  described: Pick<Survey<ConnectionsCompetitor, FleetParams>, "scenario" | "title" | "headline"> &
    Partial<
      Pick<Survey<ConnectionsCompetitor, FleetParams>, "baseline" | "competitors" | "mostForks" | "runtime">
    >,
  params: Sizes<FleetParams>,
): Scenario {
  return survey<ConnectionsCompetitor, FleetParams>({
    baseline: "nobody",
    mostForks: 1,
    ...(described.runtime === undefined ? { alike: "fleet" } : {}),
    ...described,
    params,
    metrics: METRICS,
    secondsPerFork: secondsFor(params.full),
    run(competitor, ofSize, seed, { competitorUrl, start }) {
      const plan = { ...ofSize.plan, ...(described.runtime === "bun" ? { bun: start } : {}) };
      return Fleet.with(plan, (fleet) => surveyFleet(fleet, competitor, competitorUrl, ofSize, seed));
    },
    law: (competitor, { plan: { timeoutMs } }, metrics) =>
      brokenLaw(metrics as Metrics & Accounts, {
        timeoutMs,
        closesTheDead: competitor.renewedBy !== "nothing",
      }),
  });
}

/** About what one takes, for plans of the run. */
function secondsFor({ plan: { connections, timeoutMs }, speed, steadyTimeouts, pairs }: FleetParams): number {
  const connecting = connections / CONNECTS_PER_SECOND;
  // One in which some die, and one until the last of them is closed.
  const timeouts = (steadyTimeouts + 2) / speed;
  // Two to a pair, and one before it is asked what the servers hold.
  const turns = ((2 * pairs.count + 1) * TURN_TIMEOUTS) / pairs.speed;
  return connecting + ((timeouts + turns) * timeoutMs) / 1000;
}

async function surveyFleet(
  fleet: Fleet,
  competitor: ConnectionsCompetitor,
  url: string,
  { plan: { timeoutMs }, speed, beatMs, steadyTimeouts, deadShare, stormShare, pairs }: FleetParams,
  seed: number,
): Promise<Metrics> {
  const timeoutRealMs = timeoutMs / speed;
  const heldBefore = await fleet.held();
  const rssBefore = rssOf(await fleet.read());
  await fleet.watch(url, speed);
  await fleet.connect(beatMs / speed);
  await pass(steadyTimeouts * timeoutRealMs);
  const rss = (rssOf(await fleet.read()) - rssBefore) / fleet.connections;
  const lateRealMs = (timeoutMs + competitor.lateness(timeoutMs)) / speed;
  const mourned = await fleet.die(deadShare, timeoutRealMs, seed, lateRealMs);
  const storm = await fleet.storm(stormShare);
  await fleet.beat(beatMs / pairs.speed);
  const turns = await inTurns(fleet, url, pairs);
  await fleet.turn(url, pairs.speed);
  const held = (await fleet.held()) - heldBefore;
  const open = (await fleet.read()).reduce((sum, reading) => sum + reading.open, 0);
  await fleet.watch(url, speed);
  const departed = await fleet.leave();
  return {
    ...costsOf(turns),
    rss: rss / 1000,
    held: held / open / 1000,
    ...latenessOf(mourned, speed),
    delayP99: Math.max(...mourned.delays.map(({ p99 }) => p99)),
    delayMax: Math.max(...mourned.delays.map(({ max }) => max)),
    ...(storm.reconnected === 0 ? {} : { reconnects: (storm.reconnected * 1000) / storm.tookMs }),
    connections: fleet.connections,
    dead: mourned.deaths.length,
    ...accountsOf(timeoutMs, competitor, departed, mourned),
  };
}

function rssOf(readings: readonly Reading[]): number {
  return readings.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
}

/** A turn of the watcher, and one of none on the same connections. */
interface Pair {
  readonly own: Window;
  readonly nobody: Window;
}

/** The order alternates from pair to pair, so that drift falls on both alike. */
async function inTurns(fleet: Fleet, url: string, { count, speed }: FleetParams["pairs"]): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let pair = 0; pair < count; pair++) {
    const isOwnFirst = pair % 2 === 0;
    const first = await fleet.turn(isOwnFirst ? url : NOBODY, speed);
    const second = await fleet.turn(isOwnFirst ? NOBODY : url, speed);
    pairs.push(isOwnFirst ? { own: first, nobody: second } : { own: second, nobody: first });
  }
  return pairs;
}

/** None where a machine that was busy elsewhere had no time for beats. */
function costsOf(all: readonly Pair[]): Metrics {
  const pairs = all.filter(({ own, nobody }) => own.beats > 0 && nobody.beats > 0);
  if (pairs.length < 2) return {};
  const perBeat = ({ userUs, systemUs, beats }: Window) => (userUs + systemUs) / beats;
  const above = pairs.map(({ own, nobody }) => perBeat(own) - perBeat(nobody));
  const standardError = standardDeviation(above) / Math.sqrt(above.length);
  const ofOwn = (cost: (window: Window) => number) => mean(pairs.map(({ own }) => cost(own)));
  return {
    cpu: ofOwn(perBeat),
    user: ofOwn(({ userUs, beats }) => userUs / beats),
    system: ofOwn(({ systemUs, beats }) => systemUs / beats),
    aboveNobody: mean(above),
    aboveNobodyOff: studentQuantile((1 + CONFIDENCE) / 2, above.length - 1) * standardError,
  };
}

/** From the last that a client sent until a server closed it, in seconds of the watchers' clock. */
function latenessOf({ deaths, expiries }: Mourned, speed: number): Metrics {
  const lastSentMs = new Map(deaths.map((death) => [death.client, death.lastSentMs]));
  const closedAfter = expiries
    .filter(({ client }) => lastSentMs.has(client))
    .map(({ client, atMs }) => ((atMs - lastSentMs.get(client)!) * speed) / 1000)
    .sort(ascending);
  if (closedAfter.length === 0) return {};
  return {
    closedP50: quantile(closedAfter, 0.5),
    closedP99: quantile(closedAfter, 0.99),
    closedMax: closedAfter.at(-1)!,
  };
}
