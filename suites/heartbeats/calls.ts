import ringOfSlots from "../../structures/dispatch/competitors/ring-of-slots.ts";
import { type DispatchList, NOBODY } from "../../structures/dispatch/dispatch.contract.ts";
import type {
  Deviation,
  HeartbeatCompetitor,
  HeartbeatScheduler,
} from "../../structures/heartbeats/heartbeats.contract.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { type Runner, race, type WorkDone } from "../engine/race.ts";
import type { Scenario } from "../shared/vocabulary.ts";

/** What a scheduler costs: time per call. */
interface CallParams {
  readonly clients: number;
  readonly interval: number;
  /** `beat`: clients beat when they are due. `reconnect`: any client leaves and connects again in the same second. */
  readonly call: "beat" | "reconnect";
}

export const INTERVAL_S = 600;

export function callRace(scenario: string, title: string, call: CallParams["call"]): Scenario {
  return race<HeartbeatCompetitor, CallParams, null>({
    scenario,
    title,
    operation: call,
    headline: false,
    // The least there is to do: it keeps which clients are connected, and adds.
    baseline: "fixed-interval",
    mostWorkers: 1,
    params: {
      full: { clients: 10_000, interval: INTERVAL_S, call },
      smoke: { clients: 1000, interval: 60, call },
    },
    prepare: () => null,
    attach(competitor, { params, seed }) {
      const { interval } = params;
      return new Caller(competitor.create(interval, seed), params, competitor.deviation(interval), seed);
    },
    law: (_competitor, _setup, _shared, [work]) => callLaw(work!),
  });
}

function callLaw({ operations, checksum, counters }: WorkDone): string | undefined {
  const { stray, calls, sum } = counters as ReturnType<Caller["counters"]>;
  if (stray > 0) return `${stray} times were named that are not within an interval's reach`;
  return operations === calls && checksum === sum
    ? undefined
    : `${operations} calls add up to ${checksum}, where ${calls} would to ${sum}`;
}

/** The client that calls next, and when. */
interface Callers {
  readonly now: number;
  next(): number;
  /** The answer to a client that has called. */
  answered(client: number, deadline: number): void;
}

/** Clients that beat when they are due. */
class ClientsDue implements Callers {
  readonly #list: DispatchList;
  readonly #reach: number;
  now = 0;

  constructor(clients: number, reach: number) {
    this.#list = ringOfSlots.create(clients, reach);
    this.#reach = reach;
  }

  next(): number {
    let client = this.#list.take(this.now);
    while (client === NOBODY) client = this.#list.take(++this.now);
    return client;
  }

  /** A time out of reach breaks the law; until that is looked at the list has to go on. */
  answered(client: number, deadline: number): void {
    this.#list.enter(client, Math.min(deadline, this.now + this.#reach));
  }
}

/** Clients that leave at random: all of them once in an interval, in an order that is shuffled once. */
class ClientsLeaving implements Callers {
  readonly #order: Int32Array;
  readonly #interval: number;
  #left = 0;

  constructor(clients: number, interval: number, random: Random) {
    this.#order = allocateRegion(clients);
    for (let client = 0; client < clients; client++) this.#order[client] = client;
    random.shuffle(this.#order);
    this.#interval = interval;
  }

  get now(): number {
    return Math.floor((this.#left * this.#interval) / this.#order.length);
  }

  next(): number {
    return this.#order[this.#left++ % this.#order.length]!;
  }

  answered(): void {}
}

/**
 * Calls of a batch of clients, which is chosen before it is timed. The times that the scheduler names are written down
 * and looked at before the next batch.
 */
class Caller implements Runner {
  readonly mostOperations: number;
  readonly #scheduler: HeartbeatScheduler;
  readonly #callers: Callers;
  readonly #isBeat: boolean;
  readonly #leastWait: number;
  readonly #mostWait: number;
  /** Of the batch: the clients that call, when, and the time that was named. */
  readonly #clients: Int32Array;
  readonly #times: Int32Array;
  readonly #deadlines: Int32Array;
  #chosen = 0;
  #calls = 0;
  #sum = 0;
  #stray = 0;

  constructor(
    scheduler: HeartbeatScheduler,
    { clients, interval, call }: CallParams,
    { earlier, later }: Deviation,
    seed: number,
  ) {
    this.#scheduler = scheduler;
    this.#isBeat = call === "beat";
    this.#leastWait = this.#isBeat ? Math.max(1, interval - earlier) : 0;
    this.#mostWait = interval + later;
    this.#callers = this.#isBeat
      ? new ClientsDue(clients, this.#mostWait)
      : new ClientsLeaving(clients, interval, new Random(seed, CALLER_STREAM));
    // A small part of the fleet, so that a client is in it once.
    this.mostOperations = Math.ceil(clients / BATCHES_PER_FLEET);
    this.#clients = allocateRegion(this.mostOperations);
    this.#times = allocateRegion(this.mostOperations);
    this.#deadlines = allocateRegion(this.mostOperations);
    for (let client = 0; client < clients; client++)
      this.#callers.answered(client, scheduler.connect(client, 0));
  }

  prepare(operations: number): void {
    this.#settle();
    for (let index = 0; index < operations; index++) {
      this.#clients[index] = this.#callers.next();
      this.#times[index] = this.#callers.now;
    }
    this.#chosen = operations;
  }

  /** The checksum is the sum of the times named. */
  run(operations: number): number {
    const scheduler = this.#scheduler;
    const isBeat = this.#isBeat;
    const clients = this.#clients;
    const times = this.#times;
    const deadlines = this.#deadlines;
    let sum = 0;
    for (let index = 0; index < operations; index++) {
      const client = clients[index]!;
      const now = times[index]!;
      let deadline: number;
      if (isBeat) deadline = scheduler.beat(client, now);
      else {
        scheduler.disconnect(client, now);
        deadline = scheduler.connect(client, now);
      }
      deadlines[index] = deadline;
      sum = (sum + deadline) | 0;
    }
    return sum;
  }

  counters() {
    this.#settle();
    return { stray: this.#stray, calls: this.#calls, sum: this.#sum };
  }

  /** Looks at the answers of the last batch. */
  #settle(): void {
    for (let index = 0; index < this.#chosen; index++) {
      const deadline = this.#deadlines[index]!;
      const wait = deadline - this.#times[index]!;
      if (wait < this.#leastWait || wait > this.#mostWait) this.#stray++;
      this.#sum = (this.#sum + deadline) | 0;
      this.#callers.answered(this.#clients[index]!, deadline);
    }
    this.#calls += this.#chosen;
    this.#chosen = 0;
  }
}

const CALLER_STREAM = 1;
const BATCHES_PER_FLEET = 16;
