import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import {
  type Column,
  CPU_TIME,
  type CurvePoint,
  type Placement,
  type Runner,
  race,
  type Scenario,
  type Setup,
  type Suite,
  survey,
} from "../engine/suite.ts";
import { CrewMember, type CrewParams, type CrewShared, crewLaw, prepareCrew } from "./crew.ts";
import { type HeartbeatParams, Heartbeats, heartbeatLaw } from "./heartbeats.ts";
import { Cancelling, Expiring, Idling, type PopulationParams, populationLaw, Setting } from "./population.ts";
import { type RequestParams, Requests, requestCapacity, requestLaw } from "./requests.ts";
import {
  EXPIRY_METRICS,
  type ExpiryParams,
  expiryLaw,
  STEADY_METRICS,
  surveyExpiry,
  surveySteadyState,
} from "./surveys.ts";

/**
 * Question: what does a timeout cost that is moved at every message and hardly ever fires? And what do setting,
 *   cancelling, expiring and an empty tick cost by themselves, from a thousand timers to a million?
 * Workload: `refresh` and `renew` are a server with N connections, each with one 30 s timer and a message every 10 s
 *   that moves it, by refresh or by the source's cancel and add; network delay mixes the order of messages, and some
 *   connections fall silent until their timer fires and they connect again. That is what WebSocket, MQTT and proxy
 *   servers do all day. Before anything is measured 40 s of virtual time pass, where timeouts are mixed 120 s. `set`,
 *   `cancel`, `expire` and `idle` do one of these to N timers due within a minute (`idle`: within days); what keeps the
 *   population as it was is not timed. `mixed`: timeouts from 1 s to 10 min. `requests`: 99 of 100 timers are cancelled.
 *   `crew`: the connections of several workers whose timers are shared, or not. Surveys count bytes, and time ticks.
 * Not measured: reading the real clock, callbacks, bursts of silence. `crew` does not look whether reports are early or
 *   late: npm test does.
 * How to run: npm run bench -- timers --all
 */
const SIZES = [
  ["1k", 1_000],
  ["10k", 10_000],
  ["100k", 100_000],
  ["1m", 1_000_000],
] as const;
/** Where variants race too; the other sizes are for those whose growth is of interest. */
const MAIN_SIZE = 100_000;
const SMOKE_SIZE = 200;
/**
 * What the largest, a timer of Node's or an entry of two hash maps, holds, and the workload beside it; V8 needs as much
 * again to move things about.
 */
const BYTES_PER_TIMER = 500;
/** What the workloads hold for each timer at most. */
const BYTES_OF_WORKLOAD = 32;
/** From here on timers and connections, 35 bytes each, and the heads of a wheel do not fit the nearest caches. */
const LARGE = 10_000;
/**
 * Least length of a slice for each 100,000 timers. Some structures look at all they have about once in a second of virtual
 * time. That is 10,000 messages of 100,000 connections, 0.2 to 1 ms: a slice should hold a few such moments.
 */
const SLICE_MS_PER_100K = 3;
/**
 * One timeout and a beat. What a message leaves behind in a lazy structure goes when the timeout that it moved has passed:
 * from then on as much goes as comes. All else is from the start as where connections have been beating for long.
 */
const SETTLED_BEATS = 4;
/** Of mixed timeouts, of which one in four is longer than these beats. */
const SETTLED_BEATS_OF_MIXED = 12;

const FOLLOWS_OTHER_CLOCK = "its timers do not follow the caller's clock";

/** Makes the workload of one worker on an empty set of timers. */
type Making = (timers: TimerSet, size: number, seed: number) => Runner;

/** A race of one worker over all sizes. */
function curve<Params>(
  name: string,
  describe: (size: string) => string,
  {
    operation,
    showsVariants = false,
    columns,
    paramsOf,
    sizeIn,
    absent,
    attach,
    law,
  }: {
    readonly operation: string;
    /** Whether the main size is where variants race. */
    readonly showsVariants?: boolean;
    readonly columns?: Readonly<Record<string, Column>>;
    readonly paramsOf: (size: number) => Params;
    readonly sizeIn: (params: Params) => number;
    readonly absent?: (competitor: TimersCompetitor) => string | undefined;
    readonly attach: (competitor: TimersCompetitor, params: Params, seed: number) => Runner;
    readonly law: (
      competitor: TimersCompetitor,
      params: Params,
      work: Parameters<typeof heartbeatLaw>[2],
    ) => string | undefined;
  },
): Scenario[] {
  return SIZES.map(([label, size]) => {
    const point: CurvePoint = { curve: name, along: "timers", at: size };
    return race<TimersCompetitor, Params, null>({
      scenario: `${name}-${label}`,
      title: describe(size.toLocaleString("en")),
      // `renew` asks the same of a dearer way to move a timer; whoever wants both names it.
      headline: size === MAIN_SIZE && name === "refresh",
      operation,
      // The fastest known that does everything: what a rival costs more is read off at once, and a baseline runs in
      // every comparison, so a slow one would spend the time that the others need.
      baseline: "hashed-wheel",
      params: { full: paramsOf(size), smoke: paramsOf(SMOKE_SIZE) },
      mostWorkers: 1,
      ...slicesFor(size),
      isLarge: (params) => sizeIn(params) >= LARGE,
      placement: (competitor, params) => placementOf(competitor, sizeIn(params)),
      ...(columns === undefined ? {} : { columns }),
      bytesPerWorker: (competitor, params) => bytesFor(competitor, sizeIn(params)),
      point,
      absent: (competitor, params) =>
        absentFrom(competitor, sizeIn(params)) ??
        absent?.(competitor) ??
        (showsVariants && size === MAIN_SIZE ? undefined : variantElsewhere(competitor)),
      prepare: () => null,
      attach: (competitor, setup, _shared, worker) => attach(competitor, setup.params, worker.seed),
      law: (competitor, setup, _shared, work) => law(competitor, setup.params, work[0]!),
    });
  });
}

function slicesFor(size: number): { readonly sliceMs?: number } {
  return size < MAIN_SIZE ? {} : { sliceMs: (size / 100_000) * SLICE_MS_PER_100K };
}

/** What has no words keeps its timers on the engine's heap. */
function placementOf(competitor: TimersCompetitor, timers: number): Placement {
  return competitor.words(timers, 1) === 0 ? "objects" : "arena";
}

function bytesFor(competitor: TimersCompetitor | undefined, timers: number): number {
  const words = competitor?.words(timers, 1) ?? 0;
  const own = words > 0 ? words * Int32Array.BYTES_PER_ELEMENT : timers * BYTES_PER_TIMER;
  return own + timers * BYTES_OF_WORKLOAD;
}

function absentFrom({ callers, mostTimers }: TimersCompetitor, size: number): string | undefined {
  if (callers === "crew") return "made for several workers: see the crew scenarios";
  if (mostTimers !== undefined && size > mostTimers) return `not meant for more than ${mostTimers} timers`;
  return undefined;
}

function variantElsewhere({ variantOf }: TimersCompetitor): string | undefined {
  return variantOf === undefined
    ? undefined
    : "a variant: see refresh-100k, renew-100k, mixed-100k, requests-100k and steady-100k";
}

function otherClock({ expiry }: TimersCompetitor): string | undefined {
  return expiry === "advance" ? undefined : FOLLOWS_OTHER_CLOCK;
}

/** A fleet with one timeout; small ones fall silent more often, so that some do at all. */
const fleetOf = (
  connections: number,
  moves: HeartbeatParams["moves"],
  settledBeats = SETTLED_BEATS,
): HeartbeatParams => ({
  connections,
  silentOneIn: connections === SMOKE_SIZE ? 16 : 256,
  settledBeats,
  moves,
  timeouts: "one",
});

function heartbeats(moves: HeartbeatParams["moves"], how: string): Scenario[] {
  return curve<HeartbeatParams>(
    moves,
    (size) => `${size} connections, a message each 10 s moves a 30 s timeout ${how}`,
    {
      operation: "message",
      showsVariants: true,
      paramsOf: (connections) => fleetOf(connections, moves),
      sizeIn: ({ connections }) => connections,
      attach: (competitor, params, seed) =>
        new Heartbeats(competitor, privateTimers(competitor, params.connections), params, seed),
      law: heartbeatLaw,
    },
  );
}

/** What preparing a batch costs beside it: where cancelling leaves work for later, that is when it is done. */
const prepared = (operation: string): Record<string, Column> => ({
  prepared: { title: "Prepared", unit: `ns/${operation}`, reduce: "prepared" },
});

function population(
  name: string,
  describe: (size: string) => string,
  operation: string,
  make: Making,
  absent?: (competitor: TimersCompetitor) => string | undefined,
): Scenario[] {
  return curve<PopulationParams>(name, describe, {
    operation,
    ...(operation === "tick" ? {} : { columns: prepared(operation) }),
    paramsOf: (timers) => ({ timers }),
    sizeIn: ({ timers }) => timers,
    ...(absent === undefined ? {} : { absent }),
    attach: (competitor, { timers }, seed) => make(privateTimers(competitor, timers), timers, seed),
    law: (competitor, _params, work) => populationLaw(competitor, work),
  });
}

const mixedParams = (connections: number): HeartbeatParams => ({
  connections,
  silentOneIn: 16,
  settledBeats: SETTLED_BEATS_OF_MIXED,
  moves: "refresh",
  timeouts: "mixed",
});

/** A timeout and somewhat more, for the same reason as SETTLED_BEATS. */
const SETTLED_TIMEOUTS = 1.25;

const requestParams = (requests: number): RequestParams => ({
  requests,
  lostOneIn: 128,
  settledTimeouts: SETTLED_TIMEOUTS,
});

function crew(scenario: string, title: string, foreignOneIn: number): Scenario {
  const paramsOf = (connections: number): CrewParams => ({ connections, silentOneIn: 256, foreignOneIn });
  return race<TimersCompetitor, CrewParams, CrewShared>({
    scenario,
    title,
    headline: false,
    operation: "message",
    baseline: foreignOneIn === 0 ? "hashed-wheel" : "inbox-wheels",
    params: { full: paramsOf(MAIN_SIZE), smoke: paramsOf(SMOKE_SIZE) },
    ...(foreignOneIn === 0 ? {} : { minWorkers: 2 }),
    ...slicesFor(MAIN_SIZE),
    isLarge: ({ connections }) => connections >= LARGE,
    placement: (competitor, { connections }) => placementOf(competitor, connections),
    columns: {
      cpu: CPU_TIME,
      cancelled: { title: "Foreign cancels", unit: "per message", reduce: "per-op" },
      expired: { title: "Expired", unit: "per message", reduce: "per-op" },
    },
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: ({ callers }) =>
      callers === "crew"
        ? undefined
        : foreignOneIn === 0
          ? "made for one worker; hashed-wheel stands for a structure per worker"
          : "made for one worker: no other can cancel its timers",
    prepare: (competitor, setup) => prepareCrew(competitor, setup),
    attach: (competitor, setup, shared, worker) => new CrewMember(competitor, setup, shared, worker),
    law: (competitor, setup: Setup<CrewParams>, _shared, work) => crewLaw(competitor, setup, work),
  });
}

function steady(label: string, size: number, mostForks: number | undefined): Scenario {
  const paramsOf = (connections: number) => fleetOf(connections, "renew", 0);
  return survey<TimersCompetitor, HeartbeatParams>({
    scenario: `steady-${label}`,
    title: `${size.toLocaleString("en")} connections for 120 s of virtual time, a message each 10 s moves a 30 s timeout by cancel and add: bytes, and the ticks of the last 40 s`,
    headline: false,
    baseline: "hashed-wheel",
    params: { full: paramsOf(size), smoke: paramsOf(SMOKE_SIZE) },
    metrics: STEADY_METRICS,
    ...(mostForks === undefined ? {} : { mostForks }),
    bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
    absent: (competitor, { connections }) =>
      absentFrom(competitor, connections) ?? (size === MAIN_SIZE ? undefined : variantElsewhere(competitor)),
    run: surveySteadyState,
    law: () => undefined,
  });
}

function expiry(scenario: string, title: string, full: ExpiryParams): Scenario {
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

export default {
  primitive: "timers",
  scenarios: [
    ...heartbeats("refresh", "by refresh"),
    ...heartbeats("renew", "by cancel and add, as the source does"),
    ...population(
      "set",
      (size) => `a timer is set, where there are ${size}`,
      "timer",
      (timers, size, seed) => new Setting(timers, size, seed),
    ),
    ...population(
      "cancel",
      (size) => `a timer is cancelled, where there are ${size}`,
      "timer",
      (timers, size, seed) => new Cancelling(timers, size, seed),
    ),
    ...population(
      "expire",
      (size) => `a timer expires, where ${size} are due within a minute`,
      "timer",
      (timers, size, seed) => new Expiring(timers, size, seed),
      otherClock,
    ),
    ...population(
      "idle",
      (size) => `a tick at which none of ${size} timers is due, nor for days`,
      "tick",
      (timers, size, seed) => new Idling(timers, size, seed),
      otherClock,
    ),
    race<TimersCompetitor, HeartbeatParams, null>({
      scenario: "mixed-100k",
      title: "100,000 connections, a message each 10 s moves a timeout of 1 s to 10 min by refresh",
      headline: false,
      operation: "message",
      baseline: "hashed-wheel",
      params: { full: mixedParams(MAIN_SIZE), smoke: mixedParams(SMOKE_SIZE) },
      mostWorkers: 1,
      ...slicesFor(MAIN_SIZE),
      isLarge: ({ connections }) => connections >= LARGE,
      placement: (competitor, { connections }) => placementOf(competitor, connections),
      bytesPerWorker: (competitor, { connections }) => bytesFor(competitor, connections),
      absent: (competitor, { connections }) => absentFrom(competitor, connections) ?? otherClock(competitor),
      prepare: () => null,
      attach: (competitor, { params }, _shared, { seed }) =>
        new Heartbeats(competitor, privateTimers(competitor, params.connections), params, seed),
      law: (competitor, { params }, _shared, [work]) => heartbeatLaw(competitor, params, work!),
    }),
    race<TimersCompetitor, RequestParams, null>({
      scenario: "requests-100k",
      title:
        "100,000 requests under way, each with a 30 s timeout: 99 of 100 are cancelled, after 5 s on average",
      headline: false,
      operation: "request",
      baseline: "hashed-wheel",
      params: { full: requestParams(MAIN_SIZE), smoke: requestParams(SMOKE_SIZE) },
      mostWorkers: 1,
      ...slicesFor(MAIN_SIZE),
      isLarge: ({ requests }) => requests >= LARGE,
      placement: (competitor, { requests }) => placementOf(competitor, requests),
      bytesPerWorker: (competitor, { requests }) => bytesFor(competitor, requests),
      absent: (competitor, { requests }) => absentFrom(competitor, requests) ?? otherClock(competitor),
      prepare: () => null,
      attach: (competitor, { params }, _shared, { seed }) =>
        new Requests(privateTimers(competitor, requestCapacity(params)), params, seed),
      law: (competitor, { params }, _shared, [work]) => requestLaw(competitor, params, work!),
    }),
    crew("crew-own", "100,000 connections per worker, a message each 10 s moves a 30 s timeout", 0),
    crew(
      "crew-foreign",
      "100,000 connections per worker, a message each 10 s moves a 30 s timeout, or, one in ten, cancels another worker's",
      10,
    ),
    steady("100k", MAIN_SIZE, undefined),
    steady("1m", 1_000_000, 1),
    // Sixty thousand ticks of the first round compile enough; one tick is one call.
    expiry("expiry-1m", "1,000,000 timers due within 60,000 ticks expire tick by tick", {
      timers: 1_000_000,
      spreadTicks: 60_000,
      rounds: 2,
    }),
    expiry("one-tick-100k", "100,000 timers due in one tick", {
      timers: MAIN_SIZE,
      spreadTicks: 1,
      rounds: 40,
    }),
  ],
} satisfies Suite;
