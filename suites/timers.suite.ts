import { nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../structures/shared/sfc32.ts";
import { privateTimers, type TimerSet, type TimersCompetitor } from "../structures/timers/timers.contract.ts";
import { placeMask } from "../structures/timers/timers.handles.ts";
import { conserved, neverEarly, reportedOnce, withinLateness } from "../structures/timers/timers.laws.ts";
import { type Runner, race, type Setup, type Suite, type WorkDone } from "./engine/suite.ts";

/**
 * Question: what does a timeout cost that is moved at every message and hardly ever fires?
 * Workload: each worker is a server process with connections of its own, each with one 30 s timer and a message every
 *   10 s; one operation is one message: the clock moves, the timers due are reported, the connection's timer is set
 *   to now + 30 s. Network delay mixes the order of messages, and some connections fall silent until their timer
 *   fires and they connect again. That is what WebSocket, MQTT and proxy servers do all day. It starts as it goes on:
 *   some are silent already, so that timers fire from the first second. A worker that is asked for more speeds up
 *   virtual time, never the rate of timers per message.
 * Not measured: reading the real clock, callbacks, timers set from other threads, bursts of silence.
 * How to run: npm run bench -- timers
 */
export default {
  primitive: "timers",
  scenarios: [
    race<TimersCompetitor, Params, null>({
      scenario: "heartbeat-100k",
      title: "100,000 connections per worker, a message each 10 s moves a 30 s timeout by refresh",
      headline: true,
      operation: "message",
      // The fastest known: what a rival costs more is read off at once, and a baseline runs in every comparison, so a
      // slow one would spend the time that the others need.
      baseline: "hashed-wheel",
      params: {
        full: { connections: 100_000, silentOneIn: 256 },
        smoke: { connections: 200, silentOneIn: 16 },
      },
      columns: {
        expired: { title: "Expired", unit: "per message", reduce: "per-op" },
        lateBy: { title: "Worst lateness", unit: "ms", reduce: "level" },
      },
      prepare: () => null,
      attach: (competitor, setup, _shared, seat) => new Server(competitor, setup.params, seat.seed),
      law,
    }),
  ],
} satisfies Suite;

interface Params {
  /** Connections of one worker. */
  readonly connections: number;
  /** One message in this many is the last one before a connection falls silent; a power of two. */
  readonly silentOneIn: number;
}

/** A tick is 1 ms of virtual time. */
const TIMEOUT_TICKS = 30_000;
const BEAT_TICKS = 10_000;
/**
 * Where virtual time starts: 2 s before ticks wrap. From the first message a timer is moved past the wrap while silent
 * connections are still due before it, and the clock follows after 20,000 messages at 100,000 connections, which the
 * slowest competitor comes to as well. 50 million messages a second would pass all 2^32 ticks in 14 minutes, and
 * nothing here or in the contract minds.
 */
const START_TICK = 2 ** 31 - 2000;
/** How many messages a connection has missed at most before its timer fires. */
const MISSED_AT_MOST = TIMEOUT_TICKS / BEAT_TICKS - 1;
/** Handles taken from one call of `advance`, more than a tick brings. */
const BATCH = 1024;
/**
 * The share of connections whose message is under way at any time, before it is rounded down to a power of two. One
 * of them, at random, is the next to arrive, so that delays are exponential, with a mean of 0.4 s at 100,000, and
 * timers that were set in one tick are not moved in one tick: a fixed order would keep list neighbours in the cache
 * together.
 */
const UNDER_WAY = 1 / 16;

/** One worker: its timers, its connections, its virtual clock. */
class Server implements Runner {
  readonly #timers: TimerSet;
  readonly #connections: number;
  /** Two words per connection: its handle, negated while it is silent; the tick its timer is due. */
  readonly #state: Int32Array;
  /** By place of a handle: the connection whose timer it is. */
  readonly #owner: Int32Array;
  readonly #placeMask: number;
  /** Connections in the order of their next messages, a ring. */
  readonly #ring: Int32Array;
  #turn = 0;
  readonly #underWayMask: number;
  readonly #silentMask: number;
  readonly #random = new Int32Array(SFC32_WORDS);
  readonly #expired = new Int32Array(BATCH);

  // A message comes each BEAT_TICKS / connections ticks: whole ticks, and a remainder that is carried from message to
  // message until it makes a tick, so that a beat is exactly BEAT_TICKS whatever the number of connections.
  readonly #wholeTicks: number;
  readonly #carryPerMessage: number;
  #carry = 0;
  #now = START_TICK;

  #added = 0;
  #expiredCount = 0;
  #unanswered = 0;
  #strays = 0;
  #earlyBy = 0;
  #lateBy = 0;

  constructor(competitor: TimersCompetitor, { connections, silentOneIn }: Params, seed: number) {
    this.#timers = privateTimers(competitor, connections);
    this.#connections = connections;
    this.#state = new Int32Array(2 * connections);
    this.#placeMask = placeMask(connections);
    this.#owner = new Int32Array(connections);
    const random = new Random(seed);
    this.#ring = random.shuffle(Int32Array.from({ length: connections }, (_, index) => index));
    this.#underWayMask = 2 ** Math.floor(Math.log2(connections * UNDER_WAY)) - 1;
    this.#silentMask = silentOneIn - 1;
    this.#wholeTicks = Math.floor(BEAT_TICKS / connections);
    this.#carryPerMessage = BEAT_TICKS % connections;
    seedSfc32(this.#random, 0, seed, 1);

    this.#timers.advance(START_TICK, this.#expired, BATCH);
    // As if all had gone on like this for long: the message that was each connection's turn one beat ago was its last
    // before silence with the same chance as any other, and so was the one before. Rounded up, so that what is due at
    // START_TICK or before, and would have been reported by now, does not occur.
    const missed = Uint8Array.from({ length: connections }, () => {
      for (let beats = MISSED_AT_MOST; beats > 0; beats--) if (random.below(silentOneIn) === 0) return beats;
      return 0;
    });
    // In the order of their dues, in which every structure is built fast.
    for (let beats = MISSED_AT_MOST; beats >= 0; beats--) {
      for (let turn = 0; turn < connections; turn++) {
        if (missed[turn] !== beats) continue;
        const beatAgo = START_TICK - BEAT_TICKS + Math.ceil(((turn + 1) * BEAT_TICKS) / connections);
        const connection = this.#ring[turn]!;
        this.#connect(connection, (beatAgo - beats * BEAT_TICKS + TIMEOUT_TICKS) | 0);
        if (beats > 0) this.#state[2 * connection]! *= -1;
      }
    }
  }

  /** The checksum is the number of messages that moved a timer. */
  run(operations: number): number {
    const timers = this.#timers;
    const state = this.#state;
    const ring = this.#ring;
    const random = this.#random;
    const connections = this.#connections;
    let now = this.#now;
    let carry = this.#carry;
    let turn = this.#turn;
    let moved = 0;
    for (let operation = 0; operation < operations; operation++) {
      let ticks = this.#wholeTicks;
      carry += this.#carryPerMessage;
      if (carry >= connections) {
        carry -= connections;
        ticks++;
      }
      if (ticks !== 0) {
        now = (now + ticks) | 0;
        this.#expire(now);
      }

      const bits = nextSfc32(random, 0);
      let drawn = turn + (bits & this.#underWayMask);
      if (drawn >= connections) drawn -= connections;
      const connection = ring[drawn]!;
      ring[drawn] = ring[turn]!;
      ring[turn] = connection;
      turn = turn + 1 === connections ? 0 : turn + 1;

      const handle = state[2 * connection]!;
      // The index of the window comes from the low bits, so silence is decided by the high ones.
      if (handle < 0 || ((bits >>> 21) & this.#silentMask) === 0) {
        state[2 * connection] = -Math.abs(handle);
        this.#unanswered++;
        continue;
      }
      const due = (now + TIMEOUT_TICKS) | 0;
      state[2 * connection + 1] = due;
      if (timers.refresh(handle, due)) moved++;
    }
    this.#now = now;
    this.#carry = carry;
    this.#turn = turn;
    return moved | 0;
  }

  counters(): Readonly<Record<string, number>> {
    // A timer that should have been reported by now and was not is as late as if it were reported at the next tick.
    let lateBy = this.#lateBy;
    for (let word = 1; word < this.#state.length; word += 2) {
      lateBy = Math.max(lateBy, (this.#now - this.#state[word]! + 1) | 0);
    }
    return {
      added: this.#added,
      expired: this.#expiredCount,
      live: this.#timers.size,
      unanswered: this.#unanswered,
      strays: this.#strays,
      earlyBy: this.#earlyBy,
      lateBy,
    };
  }

  #connect(connection: number, due: number): void {
    const handle = this.#timers.add(due);
    this.#owner[handle & this.#placeMask] = connection;
    this.#state[2 * connection] = handle;
    this.#state[2 * connection + 1] = due;
    this.#added++;
  }

  #expire(now: number): void {
    const expired = this.#expired;
    let count: number;
    do {
      count = this.#timers.advance(now, expired, BATCH);
      this.#expiredCount += count;
      // Two passes, as the contract asks: the places of the whole batch are free for the adds of the second.
      let known = 0;
      for (let index = 0; index < count; index++) {
        const handle = expired[index]!;
        const connection = this.#owner[handle & this.#placeMask]!;
        if (Math.abs(this.#state[2 * connection]!) !== handle) {
          this.#strays++;
          continue;
        }
        const lateBy = (now - this.#state[2 * connection + 1]!) | 0;
        this.#lateBy = Math.max(this.#lateBy, lateBy);
        this.#earlyBy = Math.max(this.#earlyBy, -lateBy);
        expired[known++] = connection;
      }
      for (let index = 0; index < known; index++) this.#connect(expired[index]!, (now + TIMEOUT_TICKS) | 0);
    } while (count === BATCH);
  }
}

function law(
  competitor: TimersCompetitor,
  { params }: Setup<Params>,
  _shared: null,
  work: readonly WorkDone[],
): string | undefined {
  // Between two advances up to a whole message spacing passes, and a timer due in between waits for the second.
  const spacing = Math.ceil(BEAT_TICKS / params.connections);
  const bound = competitor.lateness(TIMEOUT_TICKS) + spacing - 1;
  for (const [worker, { operations, checksum, counters }] of work.entries()) {
    const { added, expired, live, unanswered, strays, earlyBy, lateBy } = counters as Account;
    const refused = (operations - unanswered - checksum) | 0;
    const broken =
      neverEarly(earlyBy) ??
      withinLateness(lateBy, bound) ??
      reportedOnce(strays) ??
      conserved({ added, expired, cancelled: 0, live }) ??
      (live === params.connections ? undefined : `${live} timers for ${params.connections} connections`) ??
      (refused === 0 ? undefined : `${refused} refreshes of a live timer were refused`);
    if (broken !== undefined) return `worker ${worker}: ${broken}`;
  }
  return undefined;
}

type Account = Readonly<
  Record<"added" | "expired" | "live" | "unanswered" | "strays" | "earlyBy" | "lateBy", number>
>;
