import ringOfSlots from "../../dispatch/competitors/ring-of-slots.ts";
import { type DispatchList, LONGEST_REACH, NOBODY } from "../../dispatch/dispatch.contract.ts";
import { exponential } from "../../shared/elementary.ts";
import { nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { type HeartbeatScheduler, MOST_CLIENTS } from "../heartbeats.contract.ts";

/**
 * A fleet of clients under a scheduler, second by second, in virtual time.
 *
 * In each second clients first drop out, come back and arrive. Then the heartbeats due by then are sent, including the
 * heartbeats of clients that have just come. All draws come from integers and from what +, -, x and / make of them,
 * which IEEE 754 rounds the same everywhere. A seed therefore gives the same messages on every machine.
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
  /** None if absent. */
  readonly storm?: Storm;
}

/** How waiting clients connect: all at the start, and after a storm the clients that it drops and that return. */
export type Arrivals =
  | { readonly kind: "all-at-once" }
  /** Each second as many as a uniform draw from 0 .. most, until no client waits. */
  | { readonly kind: "uniform"; readonly most: number }
  /** Each second as many as a Poisson variable of this mean, until no client waits. */
  | { readonly kind: "poisson"; readonly mean: number };

export type Churn =
  | { readonly kind: "none" }
  /**
   * Lives are memoryless, of `meanLife` seconds on average, 2 or more. A client that leaves comes back in the same
   * second if `meanAway` is 0. Otherwise it comes back after a memoryless time of that mean, 2 s or more.
   */
  | { readonly kind: "lives"; readonly meanLife: number; readonly meanAway: number };

/** In second `at` this share of the connected clients, drawn at random, drops out: to wait and connect again, or for good. */
export interface Storm {
  readonly at: number;
  readonly share: number;
  readonly returns: boolean;
}

/** What was seen of a fleet. Times in seconds; "observed" values belong to the last `observedIntervals`. */
export interface FleetSeen {
  readonly interval: number;
  /** Heartbeats in each second of the horizon. */
  readonly messages: Int32Array;
  /** First observed second. */
  readonly observedFrom: number;
  /** Whether, since all had connected, every client that left was back in the same second. */
  readonly alwaysFull: boolean;
  /** The time since which no client had come or left. */
  readonly restingSince: number;
  /** The most by which two heartbeats of one life stood nearer, and further, than the interval, in the whole run. */
  readonly mostEarlier: number;
  readonly mostLater: number;
  /** Of two heartbeats of one life, in the whole run: their distance, and by how much that is not the interval. */
  readonly meanGap: number;
  readonly meanDeviation: number;
  /** The share of these distances that are over a second off the interval. */
  readonly overASecondOff: number;
  /** From connect to first heartbeat, in the whole run, of the lives that lasted until then. */
  readonly longestWait: number;
  readonly meanWait: number;
  /** The longest time that a client had been silent when it left, or at the end. */
  readonly longestSilence: number;
  /**
   * The longest time from when a heartbeat was due until it was sent, or until the end: 0 where the dispatch list
   * serves its purpose.
   */
  readonly worstLateness: number;
}

/** Makes the list from which due heartbeats are taken; all deadlines of a run lie within `reach` seconds. */
export type ListMaker = (clients: number, reach: number) => DispatchList;

/**
 * Runs the plan. Throws a RangeError for a seed that is no uint32, and for a plan that cannot be carried out. A plan
 * must leave every client time for one beat before it observes. Throws an Error if the scheduler returns a time that is
 * not an integer from now on.
 */
export function runFleet(
  scheduler: HeartbeatScheduler,
  plan: FleetPlan,
  seed: number,
  makeList: ListMaker = ringOfSlots.create,
): FleetSeen {
  assertPlan(plan, seed);
  return new Fleet(scheduler, plan, seed, makeList).run();
}

const ARRIVAL_STREAM = 1;
const LIFE_STREAM = 2;
const STORM_STREAM = 3;
const AWAY_STREAM = 4;

class Fleet {
  readonly #scheduler: HeartbeatScheduler;
  readonly #plan: FleetPlan;
  readonly #observedFrom: number;
  readonly #drawArrivals: () => number;
  readonly #drawLife: (() => number) | undefined;
  readonly #drawAway: (() => number) | undefined;
  readonly #stormDraws: Random;
  /** Connected clients, by when they beat next. */
  readonly #beats: DispatchList;
  /** By when they leave, or if they have, by when they come back. */
  readonly #changes: DispatchList;
  /** Clients that wait to connect, in order; the ones before #arrived have connected. */
  readonly #waiting: number[];
  #arrived = 0;
  #lastArrival = 0;
  /**
   * Two words per client. HEARD: when its last heartbeat was sent; before the first of a life, ~ the time of the
   * connect; and ABSENT while it is not connected. DEADLINE: when the next one is, the horizon at the latest.
   */
  readonly #times: Int32Array;
  readonly #messages: Int32Array;
  #sent = 0;
  #firstBeats = 0;
  #alwaysFull = true;
  #restingSince = 0;
  #mostEarlier = 0;
  #mostLater = 0;
  #sumOfEarlier = 0;
  #sumOfLater = 0;
  #overASecondOff = 0;
  #longestWait = 0;
  #sumOfWaits = 0;
  #longestSilence = 0;
  #worstLateness = 0;

  constructor(scheduler: HeartbeatScheduler, plan: FleetPlan, seed: number, makeList: ListMaker) {
    const { clients, interval, horizon, observedIntervals, arrivals, churn } = plan;
    this.#scheduler = scheduler;
    this.#plan = plan;
    this.#observedFrom = horizon - observedIntervals * interval;
    this.#drawArrivals = arrivalDraws(arrivals, clients, new Random(seed, ARRIVAL_STREAM));
    if (churn.kind === "lives") {
      this.#drawLife = spanDraws(churn.meanLife, seed, LIFE_STREAM);
      if (churn.meanAway > 0) this.#drawAway = spanDraws(churn.meanAway, seed, AWAY_STREAM);
    }
    this.#stormDraws = new Random(seed, STORM_STREAM);
    this.#beats = makeList(clients, horizon);
    this.#changes = ringOfSlots.create(clients, horizon);
    this.#waiting = Array.from({ length: clients }, (_, client) => client);
    this.#times = new Int32Array(2 * clients).fill(ABSENT);
    this.#messages = new Int32Array(horizon);
  }

  run(): FleetSeen {
    const { interval, horizon, storm } = this.#plan;
    for (let now = 0; now < horizon; now++) {
      if (now === storm?.at) this.#dropOut(storm, now);
      this.#change(now);
      this.#arrive(now);
      this.#messages[now] = this.#dispatch(now);
    }
    if (this.#arrived < this.#waiting.length)
      throw new RangeError(
        `${this.#waiting.length - this.#arrived} clients have not arrived after ${horizon} s`,
      );
    if (this.#lastArrival + interval > this.#observedFrom)
      throw new RangeError(
        `the last client arrives at ${this.#lastArrival} s, less than an interval before ${this.#observedFrom} s`,
      );
    return this.#seen();
  }

  #connect(client: number, now: number): void {
    const deadline = this.#scheduler.connect(client, now);
    if (!(Number.isInteger(deadline) && deadline >= now)) throw notATime(deadline, now);
    this.#times[2 * client + HEARD] = ~now;
    this.#expect(client, deadline);
    if (this.#drawLife !== undefined) this.#enterChange(client, now + this.#drawLife());
  }

  #disconnect(client: number, now: number): void {
    this.#scheduler.disconnect(client, now);
    this.#beats.remove(client);
    this.#noteEnd(client, now);
    this.#times[2 * client + HEARD] = ABSENT;
  }

  #expect(client: number, deadline: number): void {
    const second = this.#withinReach(deadline);
    this.#times[2 * client + DEADLINE] = second;
    this.#beats.enter(client, second);
  }

  #enterChange(client: number, at: number): void {
    this.#changes.enter(client, this.#withinReach(at));
  }

  /**
   * The horizon, which never comes, stands for all that lies beyond it. It is listed nevertheless: in an append-only
   * list, a client that is not yet due makes the ones behind it late.
   */
  #withinReach(second: number): number {
    return Math.min(second, this.#plan.horizon);
  }

  #dropOut({ share, returns }: Storm, now: number): void {
    const isThere = (client: number) => this.#times[2 * client + HEARD] !== ABSENT;
    let there = 0;
    for (let client = 0; client < this.#plan.clients; client++) if (isThere(client)) there++;
    // Selection sampling (Knuth, TAOCP 3.4.2, algorithm S): each remaining client is equally likely to be taken.
    let missing = Math.round(share * there);
    if (missing > 0 && !returns) this.#alwaysFull = false;
    for (let client = 0; missing > 0; client++) {
      if (!isThere(client) || this.#stormDraws.fraction() * there-- >= missing) continue;
      missing--;
      this.#changes.remove(client);
      this.#disconnect(client, now);
      if (returns) this.#waiting.push(client);
      this.#restingSince = now + 1;
    }
  }

  #change(now: number): void {
    for (let client = this.#changes.take(now); client !== NOBODY; client = this.#changes.take(now)) {
      this.#restingSince = now + 1;
      if (this.#times[2 * client + HEARD] === ABSENT) {
        this.#connect(client, now);
        continue;
      }
      this.#disconnect(client, now);
      if (this.#drawAway === undefined) this.#connect(client, now);
      else {
        this.#enterChange(client, now + this.#drawAway());
        this.#alwaysFull = false;
      }
    }
  }

  #arrive(now: number): void {
    const left = this.#waiting.length - this.#arrived;
    if (left === 0) return;
    const arriving = Math.min(left, this.#drawArrivals());
    for (let count = 0; count < arriving; count++) this.#connect(this.#waiting[this.#arrived++]!, now);
    if (arriving > 0) {
      this.#lastArrival = now;
      this.#restingSince = now + 1;
    }
    // A client that waits after a storm is missing; one that waits at the start has not been there yet.
    if (arriving < left && this.#arrived >= this.#plan.clients) this.#alwaysFull = false;
  }

  /** Sends what is due by `now`; returns how many heartbeats that was. */
  #dispatch(now: number): number {
    const times = this.#times;
    const beats = this.#beats;
    const { interval } = this.#plan;
    let sent = 0;
    for (let client = beats.take(now); client !== NOBODY; client = beats.take(now)) {
      const heard = times[2 * client + HEARD]!;
      if (heard < 0) this.#noteFirst(now - ~heard);
      else if (now - heard !== interval) this.#noteDeviation(now - heard - interval);
      const late = now - times[2 * client + DEADLINE]!;
      if (late > this.#worstLateness) this.#worstLateness = late;
      times[2 * client + HEARD] = now;
      sent++;
      const deadline = this.#scheduler.beat(client, now);
      if (!(Number.isInteger(deadline) && deadline > now)) throw notATime(deadline, now + 1);
      this.#expect(client, deadline);
    }
    this.#sent += sent;
    return sent;
  }

  #noteFirst(wait: number): void {
    this.#firstBeats++;
    this.#sumOfWaits += wait;
    if (wait > this.#longestWait) this.#longestWait = wait;
  }

  #noteDeviation(later: number): void {
    if (later > 0) {
      this.#sumOfLater += later;
      if (later > this.#mostLater) this.#mostLater = later;
    } else {
      this.#sumOfEarlier -= later;
      if (-later > this.#mostEarlier) this.#mostEarlier = -later;
    }
    if (later > 1 || later < -1) this.#overASecondOff++;
  }

  /** Of a life that ends, or that the end of the run finds. */
  #noteEnd(client: number, now: number): void {
    const heard = this.#times[2 * client + HEARD]!;
    const silence = now - (heard < 0 ? ~heard : heard);
    if (silence > this.#longestSilence) this.#longestSilence = silence;
    const late = now - 1 - this.#times[2 * client + DEADLINE]!;
    if (late > this.#worstLateness) this.#worstLateness = late;
  }

  #seen(): FleetSeen {
    const { clients, interval, horizon } = this.#plan;
    for (let client = 0; client < clients; client++)
      if (this.#times[2 * client + HEARD] !== ABSENT) this.#noteEnd(client, horizon);
    const gaps = Math.max(1, this.#sent - this.#firstBeats);
    return {
      interval,
      messages: this.#messages,
      observedFrom: this.#observedFrom,
      alwaysFull: this.#alwaysFull,
      restingSince: this.#restingSince,
      mostEarlier: this.#mostEarlier,
      mostLater: this.#mostLater,
      meanGap: interval + (this.#sumOfLater - this.#sumOfEarlier) / gaps,
      meanDeviation: (this.#sumOfLater + this.#sumOfEarlier) / gaps,
      overASecondOff: this.#overASecondOff / gaps,
      longestWait: this.#longestWait,
      meanWait: this.#sumOfWaits / Math.max(1, this.#firstBeats),
      longestSilence: this.#longestSilence,
      worstLateness: this.#worstLateness,
    };
  }
}

const HEARD = 0;
const DEADLINE = 1;
/** Not ~ of any time. */
const ABSENT = -(2 ** 31);

/** Half a year: as far as dispatch lists reach. */
const LONGEST_HORIZON = LONGEST_REACH;
/** As many as `Random.below` draws from, and more than any fleet has. */
const MOST_ARRIVALS = 2 ** 21 - 1;

function assertPlan(plan: FleetPlan, seed: number): void {
  const { clients, interval, horizon, observedIntervals, arrivals, churn, storm } = plan;
  const inRange = (name: string, value: number, least: number, most: number) => {
    if (!(Number.isInteger(value) && value >= least && value <= most))
      throw new RangeError(`${name} ${value} is not an integer in ${least} .. ${most}`);
  };
  inRange("seed", seed, 0, 2 ** 32 - 1);
  inRange("clients", clients, 1, MOST_CLIENTS);
  inRange("horizon", horizon, 1, LONGEST_HORIZON);
  inRange("interval", interval, 1, horizon);
  inRange("observedIntervals", observedIntervals, 1, horizon);
  if (arrivals.kind === "uniform") inRange("most arrivals", arrivals.most, 1, MOST_ARRIVALS);
  if (arrivals.kind === "poisson" && !(arrivals.mean > 0 && arrivals.mean <= MOST_ARRIVALS))
    throw new RangeError(
      `${arrivals.mean} arrivals per second on average: not above 0 and up to ${MOST_ARRIVALS}`,
    );
  if (churn.kind === "lives") {
    assertSpan("life", churn.meanLife);
    if (churn.meanAway !== 0) assertSpan("time away", churn.meanAway);
  }
  const observedFrom = horizon - observedIntervals * interval;
  if (observedFrom < interval)
    throw new RangeError(
      `${horizon} s are less than an interval more than the ${observedIntervals} observed`,
    );
  if (storm === undefined) return;
  if (!(storm.share >= 0 && storm.share <= 1))
    throw new RangeError(`a storm cannot take ${storm.share} of a fleet`);
  if (!(Number.isInteger(storm.at) && storm.at >= 0 && storm.at + interval <= observedFrom))
    throw new RangeError(`a storm at ${storm.at} s is not an interval before ${observedFrom} s`);
}

function assertSpan(name: string, mean: number): void {
  if (!(mean >= 2 && mean <= LONGEST_HORIZON))
    throw new RangeError(`a mean ${name} of ${mean} s is not in 2 .. ${LONGEST_HORIZON}`);
}

function notATime(deadline: number, earliest: number): Error {
  return new Error(`the scheduler named ${deadline} s, which is not an integer from ${earliest} on`);
}

/** How many waiting clients connect in a second. */
function arrivalDraws(arrivals: Arrivals, clients: number, random: Random): () => number {
  if (arrivals.kind === "all-at-once") return () => clients;
  if (arrivals.kind === "uniform") return () => random.below(arrivals.most + 1);
  const { mean } = arrivals;
  // Poisson variables add up to one of the sum of their means; each of at most 1 takes few draws (Knuth, TAOCP 3.4.1).
  const parts = Math.ceil(mean);
  const none = exponential(-mean / parts);
  return () => {
    let sum = 0;
    for (let part = 0; part < parts; part++)
      for (let product = random.fraction(); product > none; product *= random.fraction()) sum++;
    return sum;
  };
}

/**
 * Draws spans of whole seconds, 1 or more, geometric with the given mean: each second is the last with probability
 * 1 / mean. The binary digits of a geometric variable are independent. Digit j is 1 with probability q^(2^j) / (1 +
 * q^(2^j)), where q = 1 - 1 / mean. So a span takes one comparison per digit and no logarithm.
 */
function spanDraws(mean: number, seed: number, stream: number): () => number {
  const thresholds: number[] = [];
  // Digits whose chance is below one in 2^32 can not come up.
  for (let power = 1 - 1 / mean; power * 2 ** 32 >= 1; power *= power)
    thresholds.push(Math.floor((power / (1 + power)) * 2 ** 32));
  const state = new Int32Array(SFC32_WORDS);
  seedSfc32(state, 0, seed, stream);
  return () => {
    let secondsSurvived = 0;
    for (let digit = 0; digit < thresholds.length; digit++)
      if (nextSfc32(state, 0) >>> 0 < thresholds[digit]!) secondsSurvived += 2 ** digit;
    return secondsSurvived + 1;
  };
}
