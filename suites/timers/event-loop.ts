import { monitorEventLoopDelay } from "node:perf_hooks";
import { Random } from "../../structures/shared/sfc32.ts";
import { Timeouts } from "../../structures/timers/parts/callbacks.ts";
import { NodeTimers } from "../../structures/timers/parts/node-timers.ts";
import type { TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import { neverEarly, reportedOnce } from "../../structures/timers/timers.laws.ts";
import { ascending, quantile } from "../engine/statistics.ts";
import { type Instruments, type Metric, type Scenario, survey } from "../shared/vocabulary.ts";
import { bytesFor } from "./sizes.ts";
import type { Metrics } from "./surveys.ts";

/**
 * Heartbeats in real time: timeouts with callbacks, on the event loop of the process, as a server has them.
 *
 * Messages come by a schedule that is fixed beforehand: connection after connection, in the same order in each beat, all
 * at equal distances. The event loop is woken each millisecond and handles all messages that have come by then. What is
 * late is handled at once and nothing is left out. A timer is due a timeout after its last message was handled, by
 * performance.now() right before set or refresh. The server knows of no message before that. A callback that is held
 * up, by messages too, is late by as much.
 */
interface RealTimeParams {
  readonly connections: number;
  /** From a message of a connection to its next, in ms. */
  readonly beatMs: number;
  /** One connection in this many falls silent, with its first or its second message. */
  readonly silentOneIn: number;
}

const TIMEOUT_BEATS = 3;
/** A connection that falls silent is due before the end of beat 5; the last beat is for late ones. */
const BEATS = 6;
/** Turns of the event loop in which a timer that is due by then may still call: a second and more. */
const PATIENCE_TURNS = 1_000;
/** Messages of a connection that does not fall silent: more than there are beats. */
const ENDLESS = 255;

/** Timeouts of one length, by connection. */
interface IdleTimeouts {
  set(connection: number): void;
  refresh(connection: number): void;
  /** Ends all that are pending. */
  end(): void;
}

export type MakeTimeouts = (
  competitor: TimersCompetitor,
  connections: number,
  timeoutMs: number,
  expired: (connection: number) => void,
) => IdleTimeouts;

export const overTimeouts: MakeTimeouts = (competitor, connections, timeoutMs, expired) => {
  const timeouts = new Timeouts(competitor, connections);
  const handles = new Float64Array(connections);
  return {
    set(connection) {
      handles[connection] = timeouts.set(expired, timeoutMs, connection);
    },
    refresh(connection) {
      timeouts.refresh(handles[connection]!);
    },
    end() {
      timeouts.close();
    },
  };
};

export const overNodeTimers: MakeTimeouts = (competitor, connections, timeoutMs, expired) => {
  const timers = new NodeTimers(competitor, { capacity: connections });
  return ofObjects(connections, (connection) => timers.setTimeout(expired, timeoutMs, connection));
};

const ofNode: MakeTimeouts = (_competitor, connections, timeoutMs, expired) =>
  ofObjects(connections, (connection) => setTimeout(expired, timeoutMs, connection));

function ofObjects<Timer extends { refresh(): unknown; close(): unknown }>(
  connections: number,
  start: (connection: number) => Timer,
): IdleTimeouts {
  const timers = new Array<Timer | undefined>(connections).fill(undefined);
  return {
    set(connection) {
      timers[connection] = start(connection);
    },
    refresh(connection) {
      timers[connection]!.refresh();
    },
    end() {
      for (const timer of timers) timer?.close();
    },
  };
}

/** The connections, their messages, and what their timers did. */
class Fleet {
  /** Milliseconds by which each callback came after its timer was due. */
  readonly latenessMs: number[] = [];
  /** Callbacks of timers that were not set. */
  strays = 0;
  /** Connections that fell silent and whose timers have not called. */
  missing = 0;
  readonly timeoutMs: number;
  readonly #beatMs: number;
  /** Connections in the order of their messages. */
  readonly #order: Int32Array;
  /** By connection: messages that it still sends. */
  readonly #left: Uint8Array;
  readonly #dueMs: Float64Array;
  readonly #isSet: Uint8Array;

  constructor({ connections, beatMs, silentOneIn }: RealTimeParams, seed: number) {
    const random = new Random(seed);
    this.timeoutMs = TIMEOUT_BEATS * beatMs;
    this.#beatMs = beatMs;
    this.#order = Int32Array.from({ length: connections }, (_, index) => index);
    random.shuffle(this.#order);
    this.#left = Uint8Array.from({ length: connections }, () =>
      random.below(silentOneIn) === 0 ? 1 + random.below(2) : ENDLESS,
    );
    this.#dueMs = new Float64Array(connections);
    this.#isSet = new Uint8Array(connections);
  }

  readonly expired = (connection: number): void => {
    const nowMs = performance.now();
    if (this.#isSet[connection] === 0) this.strays++;
    else if (this.#left[connection] === 0) this.missing--;
    this.#isSet[connection] = 0;
    this.latenessMs.push(nowMs - this.#dueMs[connection]!);
  };

  connect(timeouts: IdleTimeouts): void {
    for (let connection = 0; connection < this.#order.length; connection++) this.#touch(connection, timeouts);
  }

  /** Handles the messages of all beats when they come, and resolves when no timer is to be waited for any more. */
  run(timeouts: IdleTimeouts): Promise<void> {
    const order = this.#order;
    const left = this.#left;
    const messages = BEATS * order.length;
    const perMs = order.length / this.#beatMs;
    const begunMs = performance.now();
    let handled = 0;
    let patience = PATIENCE_TURNS;
    return new Promise((resolve) => {
      const handle = () => {
        const come = Math.min(messages, Math.floor((performance.now() - begunMs) * perMs));
        for (; handled < come; handled++) {
          const connection = order[handled % order.length]!;
          if (left[connection] === 0) continue;
          left[connection] = left[connection]! - 1;
          if (left[connection] === 0) this.missing++;
          this.#touch(connection, timeouts);
        }
        const isOver = handled === messages && (this.missing === 0 || --patience === 0);
        if (isOver) resolve();
        else setTimeout(handle, 1);
      };
      handle();
    });
  }

  get live(): number {
    return this.#isSet.reduce((sum, isSet) => sum + isSet, 0);
  }

  #touch(connection: number, timeouts: IdleTimeouts): void {
    this.#dueMs[connection] = performance.now() + this.timeoutMs;
    if (this.#isSet[connection] === 1) timeouts.refresh(connection);
    else timeouts.set(connection);
    this.#isSet[connection] = 1;
  }
}

const latenessOf = (what: string): Metric => ({ title: `Lateness ${what}`, unit: "ms", digits: 2 });
const loopDelayOf = (what: string): Metric => ({ title: `Loop delay ${what}`, unit: "ms", digits: 2 });

const METRICS = {
  latenessP50: latenessOf("p50"),
  latenessP99: latenessOf("p99"),
  latenessP999: latenessOf("p99.9"),
  latenessMax: latenessOf("max"),
  earliness: { title: "Earliness max", unit: "ms", digits: 2 },
  cpu: { title: "CPU time", unit: "s", digits: 2 },
  loopDelayP999: loopDelayOf("p99.9"),
  loopDelayMax: loopDelayOf("max"),
  bytes: { title: "Held", unit: "B/timer", digits: 1 },
  fired: { title: "Fired", unit: "timers", digits: 0 },
  strays: { title: "Strays", unit: "callbacks", digits: 0 },
  missing: { title: "Missing", unit: "timers", digits: 0 },
} satisfies Record<string, Metric>;

/** How often the event loop is asked whether it is on time, in ms; what a sample has beyond this is delay. */
const LOOP_SAMPLE_MS = 1;

async function surveyRealTime(
  make: MakeTimeouts,
  competitor: TimersCompetitor,
  params: RealTimeParams,
  seed: number,
  { heldBytes }: Instruments,
): Promise<Metrics> {
  const fleet = new Fleet(params, seed);
  const bytesBefore = heldBytes();
  const timeouts = make(competitor, params.connections, fleet.timeoutMs, fleet.expired);
  fleet.connect(timeouts);
  const loop = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
  loop.enable();
  const cpuBefore = process.cpuUsage();
  await fleet.run(timeouts);
  const { user, system } = process.cpuUsage(cpuBefore);
  loop.disable();
  const bytes = (heldBytes() - bytesBefore) / fleet.live;
  const lateness = fleet.latenessMs.toSorted(ascending);
  const loopDelay = (ns: number) => Math.max(0, ns / 1e6 - LOOP_SAMPLE_MS);
  const metrics = {
    latenessP50: quantile(lateness, 0.5),
    latenessP99: quantile(lateness, 0.99),
    latenessP999: quantile(lateness, 0.999),
    latenessMax: lateness.at(-1)!,
    earliness: Math.max(0, -lateness[0]!),
    cpu: (user + system) / 1e6,
    loopDelayP999: loopDelay(loop.percentile(99.9)),
    loopDelayMax: loopDelay(loop.max),
    bytes,
    fired: lateness.length,
    strays: fleet.strays,
    missing: fleet.missing,
  };
  timeouts.end();
  return metrics;
}

/**
 * Each timer that was no longer refreshed called once. None early means too that none called whose connection sends: it
 * would be early by what is left since the last message. Node's own are early now and then, as they say.
 */
function realTimeLaw(
  { expiry }: TimersCompetitor,
  _params: RealTimeParams,
  { earliness, strays, missing }: Metrics,
): string | undefined {
  return (
    (expiry === "advance" ? neverEarly(earliness!) : undefined) ??
    reportedOnce(strays!) ??
    (missing === 0 ? undefined : `${missing} timers never called`)
  );
}

/** What NodeTimers makes for a timer at most, the context included. */
const BYTES_OF_OBJECT = 500;
const MAIN: RealTimeParams = { connections: 1_000_000, beatMs: 10_000, silentOneIn: 16 };
const SMOKE: RealTimeParams = { ...MAIN, connections: 1_000, beatMs: 50 };
const NODE = "node-set-timeout";

export function refreshed(scenario: string, how: string, make: MakeTimeouts): Scenario {
  return survey<TimersCompetitor, RealTimeParams>({
    scenario,
    title: `1,000,000 connections for a minute of real time, a message each 10 s refreshes a 30 s timeout, and one in 16 falls silent within 20 s: ${how}, beside Node's own`,
    headline: false,
    baseline: NODE,
    competitors: [NODE, "hashed-wheel", "hierarchical-wheel"],
    params: { full: MAIN, smoke: SMOKE },
    metrics: METRICS,
    secondsPerFork: (BEATS * MAIN.beatMs) / 1000,
    bytesPerWorker: (competitor, { connections }) =>
      bytesFor(competitor, connections) + connections * BYTES_OF_OBJECT,
    run: (competitor, params, seed, instruments) =>
      surveyRealTime(
        competitor.expiry === "event-loop" ? ofNode : make,
        competitor,
        params,
        seed,
        instruments,
      ),
    law: realTimeLaw,
  });
}
