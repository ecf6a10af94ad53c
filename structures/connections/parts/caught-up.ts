import { inspect } from "node:util";
import type { NativeTimer } from "../../timers/parts/callbacks.ts";
import { assertCapacity } from "../../timers/parts/handles.ts";
import type { Connection, Loop, RenewedBy, Timer, Watcher, WatchSetup } from "../connections.contract.ts";

/** Keeps the time of each connection, and does not handle loops that are late. */
export interface Mechanism {
  opened(connection: Connection): void;
  /** What renews it has come. */
  renewed(connection: Connection): void;
  /** Of one that has not expired. */
  closed(connection: Connection): void;
  /** Leaves no timer behind. */
  end(): void;
  /** Connections that it may expire. */
  readonly size: number;
}

/**
 * Makes a watcher of a mechanism. A connection that the mechanism has expired is overdue at first. It expires once the
 * event loop has caught up with what clients sent. If it is heard before, it is watched as if it had just opened.
 *
 * A loop has caught up when nothing came for any connection in a whole turn. A turn lasts from one immediate to the next.
 * It has a poll in it on every runtime: Node runs immediates after it polls, Bun before. One poll is not enough, for it
 * hands over a limited number of events. A loop that gets more than it can read never catches up: it is waited for
 * during one timeout.
 *
 * An interval, the beat, shows when the loop stood still: it missed a beat, and the clock shows for how long. That time
 * is made good to each connection that becomes overdue within a timeout from there. It stays overdue for as long as the
 * loop had stood still, and for one timeout at most. So a clock that jumps closes no living connection, though no
 * message waits in a socket then.
 *
 * These waits are counted without the time for which the loop stood still, but for a beat of each standstill. So the dead
 * are closed even on a loop that does little else than stand still.
 *
 * The watcher also refuses what the contract has it refuse. It keeps calls after an expiry, a close or the end from the
 * mechanism. It costs two loads and a store for each message, a byte for each place, and a wake for each beat. The beat
 * does not keep the process alive.
 */
export function onceCaughtUp(
  setup: WatchSetup,
  renewedBy: Exclude<RenewedBy, "nothing">,
  mechanism: (setup: WatchSetup) => Mechanism,
): Watcher {
  assertSetup(setup);
  return caughtUp(setup, renewedBy, mechanism);
}

/** The same for any timeout of 100 ms and more, with a limit of its own to how long an overdue connection is waited for. */
export function caughtUp(
  setup: WatchSetup,
  renewedBy: Exclude<RenewedBy, "nothing">,
  mechanism: (setup: WatchSetup) => Mechanism,
  /** At least a beat. */
  patienceMs = setup.timeoutMs,
): CaughtUpWatcher {
  return new CaughtUp(setup, renewedBy, mechanism, patienceMs);
}

export interface CaughtUpWatcher extends Watcher {
  /** What waited for a connection is read from now on: the loop has not caught up with it. */
  resumed(): void;
  /** How often the loop was seen to have stood still. */
  readonly standstills: number;
}

/** Time between two beats of a watcher with this timeout, in ms. */
export function beatOf(timeoutMs: number): number {
  return Math.min(LONGEST_BEAT_MS, timeoutMs / BEATS_PER_TIMEOUT);
}

/** Throws a RangeError for a capacity or a timeout that the contract does not have. */
export function assertSetup({ capacity, timeoutMs }: WatchSetup): void {
  assertCapacity(capacity);
  const isWhole = Number.isInteger(timeoutMs) && timeoutMs % STEP_MS === 0;
  if (!(isWhole && timeoutMs >= STEP_MS && timeoutMs <= LONGEST_TIMEOUT_MS))
    throw new RangeError(
      `a timeout is a multiple of ${STEP_MS} ms from ${STEP_MS} to ${LONGEST_TIMEOUT_MS}, not ${inspect(timeoutMs)}`,
    );
}

/** The step of the coarsest mechanism. */
const STEP_MS = 1_000;
/** The longest delay of the runtime's timers, 2^31 - 1 ms, in whole steps. */
const LONGEST_TIMEOUT_MS = 2_147_483_000;
/** Between two beats, of any timeout of ten seconds and more; a tenth of a shorter one. */
const LONGEST_BEAT_MS = 1_000;
const BEATS_PER_TIMEOUT = 10;
/** A gap of this many beats shows that the loop stood still. One beat may be late by a little. */
const MISSED_BEATS = 2;
/** Places that there is room for at first. */
const FIRST_PLACES = 1_024;
/** Connections that expire before the loop gets a turn: to close one takes a server tens of microseconds. */
const BATCH = 1_000;

/** Of a place: it is empty, or has an open connection, overdue or not, or one that has expired and not closed. */
const AWAY = 0;
const OPEN = 1;
const EXPIRED = 2;

/** Times without what the loop stood still. */
interface Overdue {
  readonly connection: Connection;
  /** What the loop stood still is made good then. */
  readonly graceEndsMs: number;
  /** A loop that has not caught up by then is not waited for. */
  readonly patienceEndsMs: number;
}

interface Standstill {
  /** When it was noticed, without what the loop stood still. */
  readonly atMs: number;
  readonly lastedMs: number;
}

class CaughtUp implements CaughtUpWatcher {
  readonly #capacity: number;
  readonly #timeoutMs: number;
  readonly #patienceMs: number;
  readonly #beatMs: number;
  readonly #loop: Loop;
  readonly #expired: (connection: Connection) => void;
  readonly #renewedByMessages: boolean;
  readonly #mechanism: Mechanism;
  /** By place; as long as the highest place that was used demands. */
  #states: Uint8Array;
  /** By place, in the order in which they became overdue. */
  readonly #overdue = new Map<number, Overdue>();
  readonly #beating: Timer;
  #catchingUp: NativeTimer | undefined;
  /** Whether nothing was said of any connection since the turn began. */
  #isQuiet = false;
  /** When the loop was last seen to run. */
  #seenMs: number;
  #standstills: Standstill[] = [];
  /** Of all standstills, but for a beat each. */
  #stoodMs = 0;
  #seenStandstills = 0;
  #isEnded = false;

  constructor(
    setup: WatchSetup,
    renewedBy: Exclude<RenewedBy, "nothing">,
    mechanism: (setup: WatchSetup) => Mechanism,
    patienceMs: number,
  ) {
    const { capacity, timeoutMs, loop, expired } = setup;
    this.#capacity = capacity;
    this.#timeoutMs = timeoutMs;
    this.#patienceMs = patienceMs;
    this.#beatMs = beatOf(timeoutMs);
    this.#loop = loop;
    this.#expired = expired;
    this.#renewedByMessages = renewedBy === "messages";
    this.#states = new Uint8Array(Math.min(capacity, FIRST_PLACES));
    this.#seenMs = loop.now();
    this.#mechanism = mechanism({ ...setup, expired: (connection) => this.#hold(connection) });
    this.#beating = loop.setInterval(() => this.#beat(), this.#beatMs);
    this.#beating.unref();
  }

  opened(connection: Connection): void {
    if (this.#isEnded) return;
    const { place } = connection;
    if (!(Number.isInteger(place) && place >= 0 && place < this.#capacity))
      throw new RangeError(
        `a place is an integer below the capacity of ${this.#capacity}, not ${inspect(place)}`,
      );
    if (place >= this.#states.length) this.#grow(place);
    if (this.#states[place] !== AWAY)
      throw new RangeError(`place ${place} has a connection that has not closed`);
    this.#states[place] = OPEN;
    this.#isQuiet = false;
    this.#mechanism.opened(connection);
  }

  heard(connection: Connection): void {
    this.#isQuiet = false;
    if (this.#renewedByMessages && this.#states[connection.place] === OPEN) this.#renew(connection);
  }

  resumed(): void {
    this.#isQuiet = false;
  }

  answered(connection: Connection): void {
    this.#isQuiet = false;
    if (this.#states[connection.place] === OPEN) this.#renew(connection);
  }

  closed(connection: Connection): void {
    const { place } = connection;
    this.#isQuiet = false;
    const wasOpen = this.#states[place] === OPEN;
    this.#states[place] = AWAY;
    if (wasOpen && !this.#overdue.delete(place)) this.#mechanism.closed(connection);
  }

  end(): void {
    this.#isEnded = true;
    this.#loop.clearTimeout(this.#beating);
    if (this.#catchingUp !== undefined) this.#loop.clearImmediate(this.#catchingUp);
    this.#catchingUp = undefined;
    this.#overdue.clear();
    this.#states.fill(AWAY);
    this.#mechanism.end();
  }

  get size(): number {
    return this.#isEnded ? 0 : this.#mechanism.size + this.#overdue.size;
  }

  get standstills(): number {
    return this.#seenStandstills;
  }

  #grow(place: number): void {
    const grown = new Uint8Array(Math.min(this.#capacity, Math.max(place + 1, 2 * this.#states.length)));
    grown.set(this.#states);
    this.#states = grown;
  }

  #renew(connection: Connection): void {
    if (this.#overdue.size > 0 && this.#overdue.delete(connection.place)) this.#mechanism.opened(connection);
    else this.#mechanism.renewed(connection);
  }

  /** The mechanism has expired it, and will not speak of it again. */
  #hold(connection: Connection): void {
    const nowMs = this.#look();
    // A beat less, by which the one that ends it may come after.
    const graceMs = Math.min(this.#stoodLately(nowMs), this.#patienceMs - this.#beatMs);
    this.#overdue.set(connection.place, {
      connection,
      graceEndsMs: nowMs + graceMs,
      patienceEndsMs: nowMs + this.#patienceMs,
    });
    // Else a beat sees to it.
    if (graceMs === 0) this.#catchUp();
  }

  #beat(): void {
    this.#look();
    if (this.#overdue.size > 0) this.#catchUp();
  }

  /** Notices a standstill. Returns the time without what the loop stood still. */
  #look(): number {
    const nowMs = this.#loop.now();
    const unseenMs = nowMs - this.#seenMs;
    this.#seenMs = nowMs;
    if (unseenMs >= MISSED_BEATS * this.#beatMs) {
      this.#seenStandstills++;
      this.#stoodMs += unseenMs - this.#beatMs;
      this.#standstills = this.#recent(nowMs - this.#stoodMs);
      this.#standstills.push({ atMs: nowMs - this.#stoodMs, lastedMs: unseenMs });
      this.#isQuiet = false;
    } else if (unseenMs < 0) {
      // A clock that goes back is taken to stand still.
      this.#stoodMs += unseenMs;
    }
    return nowMs - this.#stoodMs;
  }

  /** The standstills during which a connection that becomes overdue now may have been silent. */
  #recent(nowMs: number): Standstill[] {
    const sinceMs = nowMs - this.#timeoutMs - MISSED_BEATS * this.#beatMs;
    return this.#standstills.filter(({ atMs }) => atMs >= sinceMs);
  }

  #stoodLately(nowMs: number): number {
    return this.#recent(nowMs).reduce((sum, { lastedMs }) => sum + lastedMs, 0);
  }

  /** Lets turns of the loop pass until it has caught up. */
  #catchUp(): void {
    this.#isQuiet = false;
    this.#catchingUp ??= this.#loop.setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#catchingUp = undefined;
    const nowMs = this.#look();
    const isCaughtUp = this.#isQuiet;
    let isDone = false;
    try {
      isDone = this.#expireOverdue(nowMs, isCaughtUp) && isCaughtUp;
    } finally {
      // After an error of the server's own as well: the next connection still expires.
      if (!isDone && this.#overdue.size > 0) {
        this.#isQuiet = true;
        this.#catchingUp = this.#loop.setImmediate(this.#turn);
      }
    }
  };

  /** Returns whether all that may expire now have. */
  #expireOverdue(nowMs: number, isCaughtUp: boolean): boolean {
    let left = BATCH;
    for (const [place, { connection, graceEndsMs, patienceEndsMs }] of this.#overdue) {
      // Patience ends in the order of the map.
      if (!isCaughtUp && patienceEndsMs > nowMs) return true;
      if (graceEndsMs > nowMs) continue;
      if (left-- === 0) return false;
      this.#overdue.delete(place);
      this.#states[place] = EXPIRED;
      this.#expired(connection);
    }
    return true;
  }
}
