import { type DispatchList, NOBODY } from "../../structures/dispatch/dispatch.contract.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import type { Runner, WorkDone } from "../engine/race.ts";

/** A fleet of clients on a list, in virtual time. */
export interface Params {
  readonly clients: number;
  /** Seconds that a beat may come later than an interval after the last, drawn anew each time: 0 .. jitter - 1. */
  readonly jitter: number;
}

export const INTERVAL = 600;
export const JITTER = 300;
export const NO_JITTER = 1;
const BEATS_PER_RECONNECT = 6;

/**
 * The clients to be taken in each second, as a count and a sum. This is enough to see that none comes early, late,
 * twice or never. It is small enough to stay in the cache, which an account of every client would not.
 */
class Ledger {
  /** By second: how many are due in it, and the sum of their ids as an int32. */
  readonly #deadline = new Int32Array(2 * LEDGER_SECONDS);
  #count = 0;
  #sum = 0;
  #idleSeconds = 0;
  #closedCount = 0;
  #closedSum = 0;
  wrongSeconds = 0;

  /** All that were taken so far. */
  get taken(): number {
    return this.#closedCount + this.#count;
  }

  /** The sum of their ids as an int32. */
  get takenSum(): number {
    return (this.#closedSum + this.#sum) | 0;
  }

  enter(client: number, deadline: number): void {
    const at = 2 * (deadline & LEDGER_MASK);
    this.#deadline[at]!++;
    this.#deadline[at + 1]! += client;
  }

  remove(client: number, deadline: number): void {
    const at = 2 * (deadline & LEDGER_MASK);
    this.#deadline[at]!--;
    this.#deadline[at + 1]! -= client;
  }

  take(client: number): void {
    this.#count++;
    this.#sum = (this.#sum + client) | 0;
  }

  /** Judges a second whose clients have all been taken. Throws an Error where a list has no client left to give. */
  close(second: number): void {
    const at = 2 * (second & LEDGER_MASK);
    if (this.#deadline[at] !== this.#count || this.#deadline[at + 1] !== this.#sum) this.wrongSeconds++;
    this.#idleSeconds = this.#count === 0 ? this.#idleSeconds + 1 : 0;
    if (this.#idleSeconds > LEDGER_SECONDS)
      throw new Error("nobody was due for longer than deadlines lie ahead");
    this.#deadline[at] = 0;
    this.#deadline[at + 1] = 0;
    this.#closedCount += this.#count;
    this.#closedSum = (this.#closedSum + this.#sum) | 0;
    this.#count = 0;
    this.#sum = 0;
  }
}

/** More than the longest interval with jitter; a power of two. */
const LEDGER_SECONDS = 1024;
const LEDGER_MASK = LEDGER_SECONDS - 1;

/** Clients on a list, and the account of them. */
export class Fleet {
  readonly random: Random;
  now = 0;
  readonly #params: Params;
  readonly #ledger = new Ledger();
  /** By client, where one may be removed before it is due. */
  readonly #deadlineOf: Int32Array | undefined;
  #refused = 0;

  constructor(params: Params, seed: number, reconnects: boolean) {
    this.#params = params;
    this.random = new Random(seed);
    this.#deadlineOf = reconnects ? allocateRegion(params.clients) : undefined;
  }

  /**
   * Enters all clients where they would stand after beating for long. They come in the order of their deadlines, for a
   * list that needs that. They come in no order of ids, so that neighbours in a list are not neighbours in memory.
   */
  fill(list: DispatchList): void {
    const { clients, jitter } = this.#params;
    const counts = new Int32Array(INTERVAL + jitter);
    for (let client = 0; client < clients; client++) counts[this.#someWait()]!++;
    const ids = this.random.shuffle(Int32Array.from({ length: clients }, (_, client) => client));
    let entered = 0;
    for (const [deadline, count] of counts.entries()) {
      for (const client of ids.subarray(entered, entered + count)) {
        list.enter(client, deadline);
        this.entered(client, deadline);
      }
      entered += count;
    }
  }

  /** Takes the next client that is due, when the second comes. */
  takeNext(list: DispatchList): number {
    let client = list.take(this.now);
    while (client === NOBODY) {
      this.#ledger.close(this.now);
      client = list.take(++this.now);
    }
    this.#ledger.take(client);
    return client;
  }

  /** Lets a second pass with all its beats. */
  passSecond(list: DispatchList): void {
    this.#ledger.close(this.now);
    const now = ++this.now;
    for (let client = list.take(now); client !== NOBODY; client = list.take(now)) {
      this.#ledger.take(client);
      list.enter(client, now + INTERVAL);
      this.entered(client, now + INTERVAL);
    }
  }

  entered(client: number, deadline: number): void {
    this.#ledger.enter(client, deadline);
    if (this.#deadlineOf !== undefined) this.#deadlineOf[client] = deadline;
  }

  /** For fleets whose clients reconnect. */
  reentered(client: number, deadline: number): void {
    this.#ledger.remove(client, this.#deadlineOf![client]!);
    this.entered(client, deadline);
  }

  reconnect(list: DispatchList, client: number, deadline: number): void {
    if (!list.remove(client)) this.#refused++;
    list.enter(client, deadline);
    this.reentered(client, deadline);
  }

  someClient(): number {
    return this.random.below(this.#params.clients);
  }

  /** Any second of the interval ahead. */
  someDeadline(): number {
    return this.now + 1 + this.random.below(INTERVAL);
  }

  get taken(): number {
    return this.#ledger.taken;
  }

  /** `operations` and `checksum`: what the engine should have counted. */
  counters(operations = this.#ledger.taken, checksum = this.#ledger.takenSum) {
    return { operations, checksum, refused: this.#refused, wrongSeconds: this.#ledger.wrongSeconds };
  }

  /**
   * Seconds until the next beat of a client seen at any moment. A longer interval is met more often, in proportion to
   * its length, and the moment is anywhere in it.
   */
  #someWait(): number {
    const { jitter } = this.#params;
    let interval: number;
    do interval = INTERVAL + this.random.below(jitter);
    while (this.random.below(INTERVAL + jitter - 1) >= interval);
    return 1 + this.random.below(interval);
  }
}

/** One operation: the next client that is due is taken, and entered again. */
export class Beating implements Runner {
  readonly #list: DispatchList;
  readonly #fleet: Fleet;
  readonly #jitter: number;

  constructor(list: DispatchList, params: Params, seed: number) {
    this.#list = list;
    this.#fleet = new Fleet(params, seed, false);
    this.#jitter = params.jitter;
    this.#fleet.fill(list);
  }

  /** The checksum is the sum of the clients. */
  run(operations: number): number {
    const list = this.#list;
    const fleet = this.#fleet;
    const jitter = this.#jitter;
    let sum = 0;
    for (let done = 0; done < operations; done++) {
      const client = fleet.takeNext(list);
      const extra = jitter === NO_JITTER ? 0 : fleet.random.below(jitter);
      const deadline = fleet.now + INTERVAL + extra;
      list.enter(client, deadline);
      fleet.entered(client, deadline);
      sum = (sum + client) | 0;
    }
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    return this.#fleet.counters();
  }
}

/**
 * One operation: any client is removed and entered for any second of the interval ahead. While each client reconnects
 * once, an interval passes, between the batches.
 */
export class Reconnecting implements Runner {
  readonly mostOperations: number;
  readonly #list: DispatchList;
  readonly #fleet: Fleet;
  readonly #secondsPerReconnect: number;
  readonly #clients: Int32Array;
  readonly #deadlines: Int32Array;
  #secondsOwed = 0;
  #reconnects = 0;
  #sum = 0;

  constructor(list: DispatchList, params: Params, seed: number) {
    // The clock stands still during a batch, so that one must be small beside an interval.
    this.mostOperations = Math.ceil(params.clients / BATCHES_PER_INTERVAL);
    this.#list = list;
    this.#fleet = new Fleet(params, seed, true);
    this.#secondsPerReconnect = INTERVAL / params.clients;
    this.#clients = allocateRegion(this.mostOperations);
    this.#deadlines = allocateRegion(this.mostOperations);
    this.#fleet.fill(list);
  }

  prepare(operations: number): void {
    const fleet = this.#fleet;
    this.#secondsOwed += operations * this.#secondsPerReconnect;
    for (; this.#secondsOwed >= 1; this.#secondsOwed--) fleet.passSecond(this.#list);
    for (let index = 0; index < operations; index++) {
      const client = fleet.someClient();
      const deadline = fleet.someDeadline();
      this.#clients[index] = client;
      this.#deadlines[index] = deadline;
      fleet.reentered(client, deadline);
      this.#sum = (this.#sum + client) | 0;
    }
    this.#reconnects += operations;
  }

  /** The checksum is the sum of the clients that were listed. */
  run(operations: number): number {
    const list = this.#list;
    const clients = this.#clients;
    const deadlines = this.#deadlines;
    let sum = 0;
    for (let index = 0; index < operations; index++) {
      const client = clients[index]!;
      if (list.remove(client)) sum = (sum + client) | 0;
      list.enter(client, deadlines[index]!);
    }
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    return this.#fleet.counters(this.#reconnects, this.#sum);
  }
}

const BATCHES_PER_INTERVAL = 16;

/** One operation: a client beats; and any client reconnects in one of six, whose time all six share. */
export class Churning implements Runner {
  readonly #list: DispatchList;
  readonly #fleet: Fleet;
  readonly #reconnectsTo: "anywhere" | "an interval ahead";

  constructor(list: DispatchList, fleet: Fleet, reconnectsTo: "anywhere" | "an interval ahead") {
    this.#list = list;
    this.#fleet = fleet;
    this.#reconnectsTo = reconnectsTo;
    fleet.fill(list);
  }

  /** The checksum is the sum of the clients that beat. */
  run(operations: number): number {
    const list = this.#list;
    const fleet = this.#fleet;
    let sum = 0;
    for (let done = 0; done < operations; done++) {
      const client = fleet.takeNext(list);
      list.enter(client, fleet.now + INTERVAL);
      fleet.entered(client, fleet.now + INTERVAL);
      sum = (sum + client) | 0;
      if (fleet.taken % BEATS_PER_RECONNECT !== 0) continue;
      const deadline = this.#reconnectsTo === "anywhere" ? fleet.someDeadline() : fleet.now + INTERVAL;
      fleet.reconnect(list, fleet.someClient(), deadline);
    }
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    return this.#fleet.counters();
  }
}

export function fleetLaw({ operations, checksum, counters }: Omit<WorkDone, "role">): string | undefined {
  const expected = counters as ReturnType<Fleet["counters"]>;
  if (expected.wrongSeconds > 0) return `in ${expected.wrongSeconds} seconds others were taken than were due`;
  if (expected.refused > 0) return `${expected.refused} listed clients could not be removed`;
  return operations === expected.operations && checksum === expected.checksum
    ? undefined
    : `${operations} operations add up to ${checksum}, where ${expected.operations} would to ${expected.checksum}`;
}
