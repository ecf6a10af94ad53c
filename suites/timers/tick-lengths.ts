import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import { type Instruments, type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import { fleetOf } from "./curves.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "./heartbeats.ts";
import { BEAT_TICKS } from "./messages.ts";
import { absentFrom, bytesFor, MAIN_SIZE, otherClock, SMOKE_SIZE } from "./sizes.ts";
import { type Metrics, runInParts, Stopwatch } from "./surveys.ts";

/**
 * How often a server should tick. The rates are the ten milliseconds at which the source says a heap is polled, its
 * wheel's second, and the ten seconds that it argues against.
 */
const PERIODS = [
  ["10ms", "10 ms", 10],
  ["1s", "1 s", 1_000],
  ["10s", "10 s", 10_000],
] as const;

function perPeriod(key: string, metric: Metric): Record<string, Metric> {
  return Object.fromEntries(
    PERIODS.map(([label, title]) => [`${key}${label}`, { ...metric, title: `${metric.title}, ${title}` }]),
  );
}

const LENGTH_METRICS = {
  ...perPeriod("latenessP50", { title: "Lateness p50", unit: "ms", digits: 0 }),
  ...perPeriod("latenessMax", { title: "Lateness max", unit: "ms", digits: 0 }),
  ...perPeriod("ticks", { title: "In ticks", unit: "us/s", digits: 0 }),
  ...perPeriod("worstTick", { title: "Worst tick", unit: "us", digits: 0 }),
};

/** A timer set that is advanced when a whole period is over, as by a timer of the server's. */
class Seldom extends Stopwatch {
  readonly #period: number;
  /** Ticks since the set was made, which do not wrap, so that periods are a wheel's whole seconds. */
  #elapsed = 0;
  #advanced = 0;
  #now = 0;

  constructor(timers: TimerSet, nowNs: () => number, period: number) {
    super(timers, nowNs);
    this.#period = period;
  }

  override advance(now: number, out: Int32Array, budget: number): number {
    this.#elapsed += (now - this.#now) | 0;
    this.#now = now;
    // The same tick once more is for what a budget left over.
    if (this.#elapsed !== this.#advanced) {
      const isWithinPeriod =
        Math.floor(this.#elapsed / this.#period) === Math.floor(this.#advanced / this.#period);
      if (isWithinPeriod) return 0;
      this.#advanced = this.#elapsed;
    }
    return super.advance(now, out, budget);
  }
}

/** Beats with each period: 80 s of virtual time after as much as settles a fleet. */
const BEATS = 8;

function surveyTickLengths(
  competitor: TimersCompetitor,
  params: HeartbeatParams,
  seed: number,
  { nowNs }: Instruments,
): Metrics {
  const metrics: Record<string, number> = {};
  for (const [label, , period] of PERIODS) {
    const ticked: TimersCompetitor = {
      ...competitor,
      // A set takes what happens between two ticks as if it happened at the last one, and so for further ahead.
      lateness: (ahead) => competitor.lateness(ahead + period - 1) + period - 1,
    };
    const timers = new Seldom(privateTimers(competitor, params.connections), nowNs, period);
    const server = new Heartbeats(ticked, timers, params, seed);
    timers.isRunning = true;
    runInParts(server, BEATS * params.connections);
    const broken = heartbeatLaw(ticked, params, { counters: server.counters() });
    if (broken !== undefined) throw new Error(broken);
    const latenesses = server.latenesses.toSorted(ascending);
    metrics[`latenessP50${label}`] = quantile(latenesses, 0.5);
    metrics[`latenessMax${label}`] = latenesses.at(-1)!;
    metrics[`ticks${label}`] = timers.totalNs / 1000 / ((BEATS * BEAT_TICKS) / 1000);
    metrics[`worstTick${label}`] = timers.worstUs;
  }
  return metrics;
}

/** What a tick of 10 ms, 1 s or 10 s costs and how late it makes a timeout of 30 s. */
export function tickLengths(): Scenario {
  return survey<TimersCompetitor, HeartbeatParams>({
    scenario: "tick-lengths-100k",
    title:
      "100,000 connections for 80 s of virtual time, a message each 10 s puts off a 30 s timeout, with a tick each 10 ms, 1 s or 10 s: how late timeouts are found, and the time in ticks",
    headline: false,
    baseline: "hashed-wheel",
    competitors: [
      ...["hashed-wheel", "source-heap", "source-wheel", "source-wheel-stamped"],
      ...["object-heap-lazy", "four-ary-heap", "lazy-refresh-wheel", "hierarchical-wheel", "sweep"],
    ],
    params: { full: fleetOf(MAIN_SIZE, "refresh"), smoke: fleetOf(SMOKE_SIZE, "refresh") },
    metrics: LENGTH_METRICS,
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: (competitor, { connections }) => absentFrom(competitor, connections) ?? otherClock(competitor),
    run: surveyTickLengths,
    law: () => undefined,
  });
}

interface PollingParams {
  readonly connections: number;
  /** Real time for each period, in ms: for the two shorter ones, and for the longest. */
  readonly shortMs: number;
  readonly longMs: number;
}

const POLLING_METRICS = {
  ...perPeriod("turns", { title: "Wake-ups", unit: "/s", digits: 1 }),
  ...perPeriod("calls", { title: "System calls", unit: "/s", digits: 1 }),
  ...perPeriod("cpu", { title: "CPU time", unit: "us/s", digits: 0 }),
};

/** Timers of connections that are idle: none of them comes due while it is looked. */
const IDLE_TICKS = 600_000;

async function surveyPolling(
  competitor: TimersCompetitor,
  { connections, shortMs, longMs }: PollingParams,
): Promise<Metrics> {
  const timers = privateTimers(competitor, connections);
  const out = new Int32Array(1);
  for (let added = 0; added < connections; added++) timers.add(IDLE_TICKS);
  const bornMs = performance.now();
  const tick = () => {
    timers.advance(Math.floor(performance.now() - bornMs), out, 1);
  };
  const poll = async (periodMs: number, forMs: number) => {
    const interval = setInterval(tick, periodMs);
    await delay(forMs);
    clearInterval(interval);
  };
  const metrics: Record<string, number> = {};
  for (const [label, , periodMs] of PERIODS) {
    const forMs = periodMs < longMs ? shortMs : longMs;
    const perSecond = (count: number) => (1000 * count) / forMs;
    const cpuBefore = process.cpuUsage();
    const turnsBefore = performance.nodeTiming.uvMetricsInfo.loopCount;
    await poll(periodMs, forMs);
    const { user, system } = process.cpuUsage(cpuBefore);
    metrics[`turns${label}`] = perSecond(performance.nodeTiming.uvMetricsInfo.loopCount - turnsBefore);
    metrics[`cpu${label}`] = perSecond(user + system);
    // Apart, because a traced process is slow.
    const calls = await systemCallsDuring(() => poll(periodMs, forMs));
    if (calls !== undefined) metrics[`calls${label}`] = perSecond(calls);
  }
  return metrics;
}

/** System calls of this process, of all its threads, until `body` is done; undefined where strace is not or may not. */
async function systemCallsDuring(body: () => Promise<void>): Promise<number | undefined> {
  const strace = spawn("strace", ["-c", "-f", "-p", String(process.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  const ended = new Promise<void>((resolve) => {
    strace.once("error", () => resolve());
    strace.once("close", () => resolve());
  });
  const attached = new Promise<"attached">((resolve) => {
    strace.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("attached")) resolve("attached");
    });
  });
  if ((await Promise.race([attached, ended])) !== "attached") return undefined;
  await body();
  strace.kill("SIGINT");
  await ended;
  return systemCallsIn(output);
}

/** The sum of the calls in a summary of strace's; undefined where it has none. */
export function systemCallsIn(summary: string): number | undefined {
  const rows = summary.split("\n").flatMap((line) => {
    // % time, seconds, microseconds per call, calls, errors if any, name.
    const calls = /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(?!total$)\w+$/.exec(line)?.[1];
    return calls === undefined ? [] : [Number(calls)];
  });
  return rows.length === 0 ? undefined : rows.reduce((sum, calls) => sum + calls, 0);
}

/** Idle connections in real time: what it costs to look each 10 ms, 1 s or 10 s whether anything is due. */
export function polling(): Scenario {
  return survey<TimersCompetitor, PollingParams>({
    scenario: "polling-100k",
    title:
      "100,000 idle connections in real time, looked after each 10 ms, 1 s or 10 s: how often the event loop wakes, system calls of the process where strace can count them, and CPU time",
    headline: false,
    baseline: "source-heap",
    competitors: ["source-heap", "source-wheel", "sweep"],
    params: {
      full: { connections: MAIN_SIZE, shortMs: 5_000, longMs: 20_000 },
      smoke: { connections: SMOKE_SIZE, shortMs: 20, longMs: 20 },
    },
    metrics: POLLING_METRICS,
    mostForks: 2,
    secondsPerFork: 60,
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    run: surveyPolling,
    law: () => undefined,
  });
}
