import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { placeMask } from "../../structures/timers/parts/handles.ts";
import type { TimerSet, TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import type { Runner, WorkDone } from "../engine/race.ts";
import { type Account, accountLaw } from "./account.ts";
import { BEAT_TICKS, Messages, START_TICK } from "./messages.ts";

/**
 * The workload of a server with many connections: each has one timer, and each message from it moves that timer. One
 * operation is one message: the clock moves, the timers due are reported, the connection's timer is set anew. Network
 * delay mixes the order of messages, and some connections fall silent until their timer fires and they connect again.
 */
export interface HeartbeatParams {
  /** Connections of one worker. */
  readonly connections: number;
  /** One message in this many is the last one before a connection falls silent; a power of two. */
  readonly silentOneIn: number;
  /** Beats of all connections that pass before anything is measured. */
  readonly settledBeats: number;
  /** How a message moves its timer: by refresh, or by the source's cancel and add. */
  readonly moves: "refresh" | "renew";
  /** What a timer is set to: always 30 s, or each connection its own, 1 s to 10 min, every magnitude alike. */
  readonly timeouts: "one" | "mixed";
}

/** A tick is 1 ms of virtual time. */
const TIMEOUT_TICKS = 30_000;
const SHORTEST_TICKS = 1_000;
const LONGEST_TICKS = 600_000;
/** Different timeouts where they are mixed; a power of two. Few enough that looking one up is no cache miss. */
const MIXED_TIMEOUTS = 1024;
/** How many messages a connection has missed at most before its timer fires. */
const MISSED_AT_MOST = TIMEOUT_TICKS / BEAT_TICKS - 1;
/** Handles taken from one call of `advance`, more than a tick brings. */
const BATCH = 1024;
/** Each account looks at one part in this many for timers overdue: all of a million would empty the cache. */
const AUDIT_PARTS = 16;
/** Reports whose lateness is remembered, the latest; a power of two. */
const REMEMBERED = 2 ** 16;

/** One worker: its timers, its connections, its virtual clock. */
export class Heartbeats implements Runner {
  readonly #timers: TimerSet;
  readonly #connections: number;
  readonly #renews: boolean;
  /** Whether a silent connection's end has to be noticed here, because its timer follows another clock or none. */
  readonly #closes: boolean;
  readonly #timeouts: Int32Array;
  readonly #timeoutMask: number;
  /** Two words per connection: its handle, negated while it is silent; the tick its timer is due. */
  readonly #state: Int32Array;
  /** By place of a handle: the connection whose timer it is. */
  readonly #owner: Int32Array;
  readonly #placeMask: number;
  readonly #messages: Messages;
  readonly #silentMask: number;
  readonly #expired = new Int32Array(BATCH);
  #now = START_TICK;

  #received = 0;
  #added = 0;
  #cancelled = 0;
  #expiredCount = 0;
  #moved = 0;
  #unanswered = 0;
  #strays = 0;
  #earlyBy = 0;
  #lateBy = 0;
  readonly #latenesses = new Int32Array(REMEMBERED);
  #audited = 0;

  constructor(
    competitor: TimersCompetitor,
    timers: TimerSet,
    { connections, silentOneIn, settledBeats, moves, timeouts }: HeartbeatParams,
    seed: number,
  ) {
    this.#timers = timers;
    this.#connections = connections;
    this.#renews = moves === "renew";
    this.#closes = competitor.expiry !== "advance";
    this.#state = allocateRegion(2 * connections);
    this.#placeMask = placeMask(connections);
    this.#owner = allocateRegion(connections);
    const random = new Random(seed);
    this.#timeouts = timeouts === "one" ? Int32Array.of(TIMEOUT_TICKS) : mixedTimeouts(random);
    this.#timeoutMask = this.#timeouts.length - 1;
    this.#messages = new Messages(connections, random, seed);
    this.#silentMask = silentOneIn - 1;

    this.#timers.advance(START_TICK, this.#expired, BATCH);
    for (const { connection, missed, silentTicks } of this.#messages.past(
      silentOneIn,
      MISSED_AT_MOST,
      random,
    )) {
      const left = this.#timeoutOf(connection) - silentTicks;
      this.#connect(connection, (START_TICK + Math.max(1, left)) | 0);
      if (missed > 0) this.#state[2 * connection]! *= -1;
    }
    // In parts, so that the measured loop is entered often and compiled like one that is.
    for (let left = settledBeats * connections; left > 0; left -= BATCH) this.run(Math.min(left, BATCH));
  }

  /** Bytes of the workload's own arrays. */
  get ownBytes(): number {
    return [this.#state, this.#owner, this.#expired, this.#latenesses, this.#timeouts]
      .map(({ byteLength }) => byteLength)
      .reduce((sum, bytes) => sum + bytes, this.#messages.bytes);
  }

  /** Lateness of the latest reports, in ticks, in no order. */
  get latenesses(): readonly number[] {
    return [...this.#latenesses.subarray(0, Math.min(this.#expiredCount, REMEMBERED))];
  }

  /** The checksum is the number of messages that moved a timer. */
  run(operations: number): number {
    const timers = this.#timers;
    const state = this.#state;
    const messages = this.#messages;
    const renews = this.#renews;
    let now = this.#now;
    let moved = 0;
    let answered = 0;
    for (let operation = 0; operation < operations; operation++) {
      const ticks = messages.ticks();
      if (ticks !== 0) {
        now = (now + ticks) | 0;
        this.#expire(now);
      }

      const connection = messages.next();
      const handle = state[2 * connection]!;
      if (handle < 0 || ((messages.bits >>> 20) & this.#silentMask) === 0) {
        this.#unanswered++;
        if (handle > 0) state[2 * connection] = -handle;
        else if (this.#closes && ((now - state[2 * connection + 1]!) | 0) >= 0) this.#close(connection, now);
        continue;
      }
      answered++;
      const deadline = (now + this.#timeoutOf(connection)) | 0;
      if (renews) {
        if (timers.cancel(handle)) moved++;
        const next = timers.add(deadline);
        this.#owner[next & this.#placeMask] = connection;
        state[2 * connection] = next;
      } else if (timers.refresh(handle, deadline)) {
        moved++;
      }
      state[2 * connection + 1] = deadline;
    }
    this.#now = now;
    this.#received += operations;
    this.#moved += moved;
    if (renews) {
      this.#cancelled += moved;
      this.#added += answered;
    }
    return moved | 0;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      received: this.#received,
      moved: this.#moved,
      added: this.#added,
      cancelled: this.#cancelled,
      expired: this.#expiredCount,
      live: this.#timers.size,
      unanswered: this.#unanswered,
      strays: this.#strays,
      earlyBy: this.#earlyBy,
      lateBy: this.#audit(),
    };
  }

  /** The worst lateness yet. A timer that should have been reported and was not is as late as if it were reported next. */
  #audit(): number {
    if (this.#closes) return 0;
    for (let connection = this.#audited; connection < this.#connections; connection += AUDIT_PARTS) {
      this.#lateBy = Math.max(this.#lateBy, (this.#now - this.#state[2 * connection + 1]! + 1) | 0);
    }
    this.#audited = (this.#audited + 1) % AUDIT_PARTS;
    return this.#lateBy;
  }

  #timeoutOf(connection: number): number {
    return this.#timeouts[connection & this.#timeoutMask]!;
  }

  #connect(connection: number, deadline: number): void {
    const handle = this.#timers.add(deadline);
    this.#owner[handle & this.#placeMask] = connection;
    this.#state[2 * connection] = handle;
    this.#state[2 * connection + 1] = deadline;
    this.#added++;
  }

  #close(connection: number, now: number): void {
    if (this.#timers.cancel(-this.#state[2 * connection]!)) this.#cancelled++;
    this.#connect(connection, (now + this.#timeoutOf(connection)) | 0);
  }

  #expire(now: number): void {
    const expired = this.#expired;
    let count: number;
    do {
      count = this.#timers.advance(now, expired, BATCH);
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
        this.#latenesses[this.#expiredCount++ & (REMEMBERED - 1)] = lateBy;
        this.#lateBy = Math.max(this.#lateBy, lateBy);
        this.#earlyBy = Math.max(this.#earlyBy, -lateBy);
        expired[known++] = connection;
      }
      for (let index = 0; index < known; index++) {
        this.#connect(expired[index]!, (now + this.#timeoutOf(expired[index]!)) | 0);
      }
    } while (count === BATCH);
  }
}

/** Spread evenly over magnitudes: as many between 1 s and 10 s as between 10 s and 100 s. */
function mixedTimeouts(random: Random): Int32Array {
  const magnitudes = Math.log(LONGEST_TICKS / SHORTEST_TICKS);
  return Int32Array.from({ length: MIXED_TIMEOUTS }, () =>
    Math.round(SHORTEST_TICKS * Math.exp(random.fraction() * magnitudes)),
  );
}

/** What a worker's account must say after any number of messages; undefined or the law that broke. */
export function heartbeatLaw(
  competitor: TimersCompetitor,
  { connections, timeouts }: HeartbeatParams,
  { counters }: Pick<WorkDone, "counters">,
): string | undefined {
  const account = counters as Account & Readonly<Record<"received" | "moved" | "unanswered", number>>;
  const { live } = account;
  // Between two advances up to a whole message spacing passes, and a timer due in between waits for the second.
  const spacing = Math.ceil(BEAT_TICKS / connections);
  const refused = account.received - account.unanswered - account.moved;
  return (
    accountLaw(competitor, account, timeouts === "one" ? TIMEOUT_TICKS : LONGEST_TICKS, spacing - 1) ??
    (refused === 0 ? undefined : `${refused} live timers could not be moved`) ??
    (live === connections ? undefined : `${live} timers for ${connections} connections`)
  );
}
