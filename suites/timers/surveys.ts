import { Random } from "../../structures/shared/sfc32.ts";
import { placeMask } from "../../structures/timers/parts/handles.ts";
import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import { neverEarly, reportedOnce, withinLateness } from "../../structures/timers/timers.laws.ts";
import { present } from "../engine/words/present.ts";
import { type Instruments, type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import { fleetOf } from "./curves.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "./heartbeats.ts";
import { BEAT_TICKS } from "./messages.ts";
import { absentFrom, bytesFor, MAIN_SIZE, otherClock, SMOKE_SIZE, variantElsewhere } from "./sizes.ts";

/** What a time per operation cannot show of timers: the longest tick, how late reports come, and bytes. */
export type Metrics = Readonly<Record<string, number>>;

/** Passes every call on to a timer set, and keeps the time of each advance while it runs. */
export class Stopwatch implements TimerSet {
  isRunning = false;
  readonly #timers: TimerSet;
  readonly #nowNs: () => number;
  #worstNs = 0;
  #totalNs = 0;

  constructor(timers: TimerSet, nowNs: () => number) {
    this.#timers = timers;
    this.#nowNs = nowNs;
  }

  get worstUs(): number {
    return this.#worstNs / 1000;
  }

  get totalNs(): number {
    return this.#totalNs;
  }

  reset(): void {
    this.#worstNs = 0;
    this.#totalNs = 0;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    if (!this.isRunning) return this.#timers.advance(now, out, budget);
    const begunNs = this.#nowNs();
    const count = this.#timers.advance(now, out, budget);
    const tookNs = this.#nowNs() - begunNs;
    this.#totalNs += tookNs;
    this.#worstNs = Math.max(this.#worstNs, tookNs);
    return count;
  }

  add(deadline: number): number {
    return this.#timers.add(deadline);
  }

  cancel(handle: number): boolean {
    return this.#timers.cancel(handle);
  }

  refresh(handle: number, deadline: number): boolean {
    return this.#timers.refresh(handle, deadline);
  }

  nextExpiry(): number | undefined {
    return this.#timers.nextExpiry();
  }

  get size(): number {
    return this.#timers.size;
  }

  get clock(): number {
    return this.#timers.clock;
  }
}

const bytesFilled: Metric = { title: "Filled", unit: "B/timer", digits: 1 };
const worstTick: Metric = { title: "Worst tick", unit: "us", digits: 1 };
const latenessP50: Metric = { title: "Lateness p50", unit: "ms", digits: 0 };
const latenessMax: Metric = { title: "Lateness max", unit: "ms", digits: 0 };

const STEADY_METRICS = {
  bytesFilled,
  bytesSteady: { title: "Steady", unit: "B/timer", digits: 1 },
  perMessage: { title: "Time", unit: "ns/message", digits: 0 },
  worstTick,
  latenessP50,
  latenessMax,
} satisfies Record<string, Metric>;

/** Beats of all connections in a survey of the steady state: four timeouts, 120 s of virtual time, in three parts. */
const BEATS_OF_PART = 4;
const MESSAGES_AT_ONCE = 1024;
/** A fleet that runs first, so that what is compiled and learned for the code is not counted as bytes of timers. */
const REHEARSED_BEATS = 100;
const REHEARSAL: Pick<HeartbeatParams, "connections" | "silentOneIn"> = {
  connections: 1000,
  silentOneIn: 16,
};

/**
 * Heartbeats for 120 s of virtual time: bytes after the first fill and at the end; time per message in the second 40 s.
 * Also ticks in the last 40 s, apart because reading the clock around each tick takes time.
 */
function surveySteadyState(
  competitor: TimersCompetitor,
  params: HeartbeatParams,
  seed: number,
  { nowNs, heldBytes }: Instruments,
): Metrics {
  rehearse(competitor, { ...params, ...REHEARSAL }, seed);
  const { connections } = params;
  const bytesBefore = heldBytes();
  const timers = new Stopwatch(privateTimers(competitor, connections), nowNs);
  const server = new Heartbeats(competitor, timers, params, seed);
  const held = () => (heldBytes() - bytesBefore - server.ownBytes) / connections;
  const bytesFilled = held();
  const messages = BEATS_OF_PART * connections;
  runInParts(server, messages);
  const begunNs = nowNs();
  runInParts(server, messages);
  const perMessage = (nowNs() - begunNs) / messages;
  timers.isRunning = true;
  runInParts(server, messages);
  const broken = heartbeatLaw(competitor, params, { counters: server.counters() });
  if (broken !== undefined) throw new Error(broken);
  const latenesses = server.latenesses.toSorted((a, b) => a - b);
  return {
    bytesFilled,
    bytesSteady: held(),
    perMessage,
    // Where timers follow another clock, advance does not look at them.
    ...(competitor.expiry === "advance" ? { worstTick: timers.worstUs } : {}),
    ...(latenesses.length === 0
      ? {}
      : { latenessP50: latenesses[latenesses.length >> 1]!, latenessMax: latenesses.at(-1)! }),
  };
}

/** All that a survey calls, on timers that are garbage afterwards. */
function rehearse(competitor: TimersCompetitor, params: HeartbeatParams, seed: number): void {
  const timers = new Stopwatch(privateTimers(competitor, params.connections), () => 0);
  timers.isRunning = true;
  runInParts(new Heartbeats(competitor, timers, params, seed), REHEARSED_BEATS * params.connections);
}

export function runInParts(server: Heartbeats, messages: number): void {
  for (let left = messages; left > 0; left -= MESSAGES_AT_ONCE) server.run(Math.min(left, MESSAGES_AT_ONCE));
}

const CPU_METRICS = {
  cpuPerMessage: { title: "CPU time", unit: "ns/message", digits: 0 },
  ofCore: { title: "At 10 s from message to message", unit: "% of a core", digits: 2 },
  perMessage: { title: "Time", unit: "ns/message", digits: 0 },
} satisfies Record<string, Metric>;

/** Beats of all connections while CPU time is counted: 120 s of virtual time. */
const BEATS_OF_CPU_TIME = 12;

/**
 * Processor time of the whole process, including the collector's threads, over 120 s of virtual time with every message
 * and every tick. It is what a server of that load would be charged for its timers, and for a workload that is the same
 * for all.
 */
function surveyCpuTime(
  competitor: TimersCompetitor,
  params: HeartbeatParams,
  seed: number,
  { nowNs, heldBytes }: Instruments,
): Metrics {
  const { connections } = params;
  const server = new Heartbeats(competitor, privateTimers(competitor, connections), params, seed);
  const messages = BEATS_OF_CPU_TIME * connections;
  // What earlier ones left is collected before, and not at their successors' expense.
  heldBytes();
  const begunNs = nowNs();
  const before = process.cpuUsage();
  runInParts(server, messages);
  const { user, system } = process.cpuUsage(before);
  const tookNs = nowNs() - begunNs;
  const broken = heartbeatLaw(competitor, params, { counters: server.counters() });
  if (broken !== undefined) throw new Error(broken);
  const cpuSeconds = (user + system) / 1e6;
  return {
    cpuPerMessage: (1e9 * cpuSeconds) / messages,
    ofCore: (100 * cpuSeconds) / ((BEATS_OF_CPU_TIME * BEAT_TICKS) / 1000),
    perMessage: tookNs / messages,
  };
}

interface ExpiryParams {
  readonly timers: number;
  /** Timers are due anywhere in this many ticks of 1 ms. */
  readonly spreadTicks: number;
  /** How often they are set and expire. The later half counts: until then the code is compiled. */
  readonly rounds: number;
}

const EXPIRY_METRICS = {
  bytesFilled,
  setting: { title: "Set", unit: "ns/timer", digits: 0 },
  perTimer: { title: "Expire", unit: "ns/timer", digits: 0 },
  worstTick,
  latenessP50,
  latenessMax,
  earliness: { title: "Earliness max", unit: "ms", digits: 0 },
  strays: { title: "Strays", unit: "reports", digits: 0 },
  missing: { title: "Missing", unit: "timers", digits: 0 },
} satisfies Record<string, Metric>;

/**
 * Sets all timers in no order, lets them expire tick by tick, and does it again. Times are the middle of the rounds that
 * count, bytes those of the last; everything else is over all rounds.
 */
function surveyExpiry(
  competitor: TimersCompetitor,
  { timers: size, spreadTicks, rounds }: ExpiryParams,
  seed: number,
  { nowNs, heldBytes }: Instruments,
): Metrics {
  const random = new Random(seed);
  const mask = placeMask(size);
  const deadlineOf = new Int32Array(size);
  const isLive = new Uint8Array(size);
  const lateBy = new Int32Array(size * rounds);
  // More than there are: one advance takes all that a tick brings.
  const out = new Int32Array(size + 1);
  const delays = Int32Array.from({ length: size }, () => 1 + random.below(spreadTicks));
  const lastTick = spreadTicks + competitor.lateness(spreadTicks);
  let strays = 0;
  let reported = 0;

  const fill = (timers: TimerSet) => {
    for (const delay of delays) {
      const deadline = (timers.clock + delay) | 0;
      const place = timers.add(deadline) & mask;
      deadlineOf[place] = deadline;
      isLive[place] = 1;
    }
  };
  const drain = (timers: TimerSet) => {
    for (let tick = 0; tick < lastTick && timers.size > 0; tick++) {
      const now = (timers.clock + 1) | 0;
      const count = timers.advance(now, out, out.length);
      for (let index = 0; index < count; index++) {
        const place = out[index]! & mask;
        strays += 1 - isLive[place]!;
        isLive[place] = 0;
        lateBy[reported++] = (now - deadlineOf[place]!) | 0;
      }
    }
  };

  const bytesBefore = heldBytes();
  const timers = new Stopwatch(privateTimers(competitor, size), nowNs);
  timers.isRunning = true;
  let bytesFilled = 0;
  const setting: number[] = [];
  const perTimer: number[] = [];
  const worstTick: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begunNs = nowNs();
    fill(timers);
    const filledNs = nowNs() - begunNs;
    if (round === rounds - 1) bytesFilled = (heldBytes() - bytesBefore) / size;
    timers.reset();
    drain(timers);
    if (round < Math.floor(rounds / 2)) continue;
    setting.push(filledNs / size);
    perTimer.push(timers.totalNs / size);
    worstTick.push(timers.worstUs);
  }
  return {
    bytesFilled,
    setting: middle(setting),
    perTimer: middle(perTimer),
    worstTick: middle(worstTick),
    ...latenessIn(lateBy.subarray(0, reported).sort()),
    strays,
    missing: size * rounds - reported,
  };
}

/** Of reports in the order of their lateness; none where nothing was reported. */
function latenessIn(latenesses: Int32Array): Metrics {
  return {
    latenessP50: latenesses[latenesses.length >> 1] ?? 0,
    latenessMax: latenesses.at(-1) ?? 0,
    earliness: Math.max(0, -(latenesses[0] ?? 0)),
  };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Each of them once, none early, none later than promised. */
function expiryLaw(
  competitor: TimersCompetitor,
  { spreadTicks }: ExpiryParams,
  { earliness, latenessMax: lateBy, strays, missing }: Metrics,
): string | undefined {
  return (
    neverEarly(earliness!) ??
    reportedOnce(strays!) ??
    withinLateness(lateBy!, competitor.lateness(spreadTicks)) ??
    (missing === 0 ? undefined : `${missing} timers were never reported`)
  );
}

export function steady(label: string, size: number, mostForks?: number): Scenario {
  const paramsOf = (connections: number) => fleetOf(connections, "renew", 0);
  return survey<TimersCompetitor, HeartbeatParams>({
    scenario: `steady-${label}`,
    title: `${size.toLocaleString("en")} connections for 120 s of virtual time, a message each 10 s moves a 30 s timeout by cancel and add: bytes, and the ticks of the last 40 s`,
    headline: false,
    baseline: "hashed-wheel",
    params: { full: paramsOf(size), smoke: paramsOf(SMOKE_SIZE) },
    metrics: STEADY_METRICS,
    ...present({ mostForks }),
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: (competitor, { connections }) =>
      absentFrom(competitor, connections) ?? (size === MAIN_SIZE ? undefined : variantElsewhere(competitor)),
    run: surveySteadyState,
    law: () => undefined,
  });
}

export function cpuTime(label: string, size: number): Scenario {
  const paramsOf = (connections: number) => fleetOf(connections, "refresh");
  return survey<TimersCompetitor, HeartbeatParams>({
    scenario: `cpu-${label}`,
    title: `${size.toLocaleString("en")} connections for 120 s of virtual time, a message each 10 s puts off a 30 s timeout, each structure's own way: CPU time of the process, ticks and collector included`,
    headline: false,
    baseline: "hashed-wheel",
    params: { full: paramsOf(size), smoke: paramsOf(SMOKE_SIZE) },
    metrics: CPU_METRICS,
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: (competitor, { connections }) => absentFrom(competitor, connections),
    run: surveyCpuTime,
    law: () => undefined,
  });
}

export function expiry(scenario: string, title: string, full: ExpiryParams): Scenario {
  return survey<TimersCompetitor, ExpiryParams>({
    scenario,
    title,
    headline: false,
    baseline: "hashed-wheel",
    params: { full, smoke: { ...full, timers: SMOKE_SIZE, spreadTicks: Math.min(100, full.spreadTicks) } },
    metrics: EXPIRY_METRICS,
    bytesPerWorker: (competitor, { timers }) => bytesFor(competitor, timers),
    absent: (competitor, { timers, spreadTicks }) =>
      absentFrom(competitor, timers) ??
      otherClock(competitor) ??
      (timers / spreadTicks > (competitor.mostInOneTick ?? timers)
        ? `not meant for more than ${competitor.mostInOneTick} timers in one tick`
        : undefined),
    run: surveyExpiry,
    law: expiryLaw,
  });
}
