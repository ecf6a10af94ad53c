import { nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../shared/sfc32.ts";
import type { HeartbeatScheduler } from "./heartbeats.contract.ts";

/**
 * A fleet of clients under a scheduler, second by second, in virtual time.
 *
 * In each second, first the heartbeats due in it arrive, then clients whose life ends leave and connect again at once,
 * then newcomers connect. All draws are integers compared with integers, and the few fractions behind them come from
 * +, x and / alone, which IEEE 754 rounds the same everywhere: a seed gives the same messages on every machine.
 */
export interface FleetPlan {
  readonly clients: number;
  /** Seconds between heartbeats that the scheduler is asked for. */
  readonly interval: number;
  /** Seconds simulated, from 0. */
  readonly horizon: number;
  /** Whole intervals at the end of the horizon that are observed; all clients must have beaten once before them. */
  readonly observedIntervals: number;
  readonly arrivals: Arrivals;
  readonly churn: Churn;
}

export type Arrivals =
  | { readonly kind: "all-at-once" }
  /** Each second as many as a uniform draw from 0 .. most, until all clients are there. */
  | { readonly kind: "uniform"; readonly most: number };

export type Churn =
  | { readonly kind: "none" }
  /** Lives are memoryless, of `meanLife` seconds on average, at least 2; a client that leaves is back the same second. */
  | { readonly kind: "reconnect-at-once"; readonly meanLife: number };

/** What was seen of a fleet. Times in seconds; those "observed" belong to the last `observedIntervals`. */
export interface FleetSeen {
  readonly clients: number;
  readonly interval: number;
  /** Heartbeats in each observed second. */
  readonly messages: readonly number[];
  /** Connects in the observed seconds. */
  readonly observedConnects: number;
  /** The most by which two heartbeats of one life stood nearer or further than the interval, in the whole run. */
  readonly worstDeviation: number;
  /** The longest wait from connect to first heartbeat, in the whole run. */
  readonly longestWait: number;
  /** The longest time that a client connected at the end has been silent. */
  readonly longestSilence: number;
}

/**
 * Runs the plan. Throws an Error if the scheduler names a time that is not an integer after now, and a RangeError if
 * the plan leaves no time for everyone to beat once before it observes.
 */
export function runFleet(scheduler: HeartbeatScheduler, plan: FleetPlan, seed: number): FleetSeen {
  const { clients, interval, horizon, observedIntervals, arrivals, churn } = plan;
  const observedFrom = horizon - observedIntervals * interval;
  const arrivalDraws = new Random(seed, ARRIVAL_STREAM);
  const drawLife = churn.kind === "none" ? undefined : lifeDraws(churn.meanLife, seed);
  const beats = new Agenda(clients, horizon);
  const deaths = new Agenda(clients, horizon);
  const lastHeard = new Int32Array(clients);
  const hasBeaten = new Uint8Array(clients);
  const messages = new Array<number>(observedIntervals * interval).fill(0);
  let connected = 0;
  let observedConnects = 0;
  let worstDeviation = 0;
  let longestWait = 0;

  const connect = (client: number, now: number) => {
    beats.enter(client, dueAfter(scheduler.connect(client, now), now));
    lastHeard[client] = now;
    hasBeaten[client] = 0;
    if (now >= observedFrom) observedConnects++;
    if (drawLife !== undefined) deaths.enter(client, now + drawLife());
  };

  for (let now = 0; now < horizon; now++) {
    for (let client = beats.take(now); client !== NOBODY; client = beats.take(now)) {
      const since = now - lastHeard[client]!;
      if (hasBeaten[client] === 1) worstDeviation = Math.max(worstDeviation, Math.abs(since - interval));
      else longestWait = Math.max(longestWait, since);
      hasBeaten[client] = 1;
      lastHeard[client] = now;
      if (now >= observedFrom) messages[now - observedFrom]!++;
      beats.enter(client, dueAfter(scheduler.beat(client, now), now));
    }
    for (let client = deaths.take(now); client !== NOBODY; client = deaths.take(now)) {
      beats.remove(client);
      scheduler.disconnect(client, now);
      connect(client, now);
    }
    if (connected === clients) continue;
    const newcomers = arrivals.kind === "uniform" ? arrivalDraws.below(arrivals.most + 1) : clients;
    for (const until = Math.min(clients, connected + newcomers); connected < until; connected++)
      connect(connected, now);
    if (connected === clients && now + interval >= observedFrom)
      throw new RangeError(
        `the last client arrives at ${now} s, less than an interval before ${observedFrom} s`,
      );
  }
  if (connected < clients)
    throw new RangeError(`only ${connected} of ${clients} clients arrive in ${horizon} s`);

  let longestSilence = 0;
  for (const heard of lastHeard) longestSilence = Math.max(longestSilence, horizon - 1 - heard);
  return { clients, interval, messages, observedConnects, worstDeviation, longestWait, longestSilence };
}

/** How level a stream of messages per second is. */
export interface Evenness {
  readonly peak: number;
  readonly low: number;
  readonly mean: number;
  /** Coefficient of variation: standard deviation over mean; 0 if there is no message. */
  readonly cv: number;
}

export function evennessOf(messages: readonly number[]): Evenness {
  let peak = 0;
  let low = Number.POSITIVE_INFINITY;
  let sum = 0;
  let sumOfSquares = 0;
  for (const count of messages) {
    peak = Math.max(peak, count);
    low = Math.min(low, count);
    sum += count;
    sumOfSquares += count * count;
  }
  const seconds = messages.length;
  // From whole-number sums, and Math.sqrt, which unlike the other functions of Math rounds the same everywhere.
  const cv = sum === 0 ? 0 : Math.sqrt(seconds * sumOfSquares - sum * sum) / sum;
  return { peak, low, mean: sum / seconds, cv };
}

const ARRIVAL_STREAM = 1;
const LIFE_STREAM = 2;

function dueAfter(due: number, now: number): number {
  if (!(Number.isInteger(due) && due > now))
    throw new Error(`the scheduler named ${due} s at ${now} s, not an integer after it`);
  return due;
}

/**
 * Draws lives in whole seconds, 1 or more, geometric with the given mean: each second is the last with probability
 * 1 / mean. The binary digits of a geometric variable are independent, and digit j is 1 with probability
 * q^(2^j) / (1 + q^(2^j)), where q = 1 - 1 / mean; so a life takes one comparison per digit and no logarithm.
 */
function lifeDraws(mean: number, seed: number): () => number {
  if (!(mean >= 2)) throw new RangeError(`mean life ${mean} s is not at least 2 s`);
  const thresholds: number[] = [];
  // Digits whose chance is below one in 2^32 can not come up.
  for (let power = 1 - 1 / mean; power * 2 ** 32 >= 1; power *= power)
    thresholds.push(Math.floor((power / (1 + power)) * 2 ** 32));
  const state = new Int32Array(SFC32_WORDS);
  seedSfc32(state, 0, seed, LIFE_STREAM);
  return () => {
    let secondsSurvived = 0;
    for (const [digit, threshold] of thresholds.entries())
      if (nextSfc32(state, 0) >>> 0 < threshold) secondsSurvived += 2 ** digit;
    return secondsSurvived + 1;
  };
}

/** No client: the end of a list, and what an empty second yields. */
const NOBODY = -1;

/**
 * Which clients are on for which second: a doubly linked list per second, threaded through arrays, so that entering,
 * removing and taking cost O(1) and nothing is allocated. A client is on for one second at most, and entries at or
 * past the horizon are dropped, as nobody will ask for them.
 */
class Agenda {
  /** By second; the client entered last, or NOBODY. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** By client: the second it is on for, or NOBODY if for none. */
  readonly #second: Int32Array;

  constructor(clients: number, horizon: number) {
    this.#first = new Int32Array(horizon).fill(NOBODY);
    this.#next = new Int32Array(clients).fill(NOBODY);
    this.#previous = new Int32Array(clients).fill(NOBODY);
    this.#second = new Int32Array(clients).fill(NOBODY);
  }

  enter(client: number, second: number): void {
    if (second >= this.#first.length) return;
    const next = this.#first[second]!;
    this.#first[second] = client;
    this.#next[client] = next;
    this.#previous[client] = NOBODY;
    if (next !== NOBODY) this.#previous[next] = client;
    this.#second[client] = second;
  }

  /** Does nothing if the client is on for no second. */
  remove(client: number): void {
    const second = this.#second[client]!;
    if (second === NOBODY) return;
    const next = this.#next[client]!;
    const previous = this.#previous[client]!;
    if (previous === NOBODY) this.#first[second] = next;
    else this.#next[previous] = next;
    if (next !== NOBODY) this.#previous[next] = previous;
    this.#second[client] = NOBODY;
  }

  /** Removes a client that is on for `second` and returns it; NOBODY if there is none. */
  take(second: number): number {
    const client = this.#first[second]!;
    if (client !== NOBODY) this.remove(client);
    return client;
  }
}
