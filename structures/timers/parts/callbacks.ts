import { AsyncResource } from "node:async_hooks";
import { assertFunction, assertInteger, assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import { assertUsable } from "../../shared/instance.ts";
import { privateTimers, TIMERS, type TimerSet, type TimersCompetitor } from "../timers.contract.ts";
import { placeMask } from "./handles.ts";
import { HORIZON } from "./ticks.ts";

/** The part of the runtime's timers that one Timeouts uses. At most one timer of it is pending at a time. */
export interface NativeTimers {
  setTimeout(wake: () => void, delayMs: number): NativeTimer;
  clearTimeout(timer: NativeTimer): void;
  setImmediate(wake: () => void): NativeTimer;
  clearImmediate(timer: NativeTimer): void;
}

export interface NativeTimer {
  ref(): unknown;
  unref(): unknown;
}

export interface TimeoutsOptions {
  /**
   * Milliseconds from any origin, finite, with or without a fraction; performance.now() by default. It should not go
   * back: while it is behind what it has shown before, time stands still. It may jump ahead.
   */
  readonly clock?: () => number;
  /** The global ones, as they are when it is made, by default. */
  readonly native?: NativeTimers;
  /** Called with what a callback threw, and its handle, which is no longer live. What it throws itself reaches 'uncaughtException'. */
  readonly onError?: (error: unknown, handle: number) => void;
  /** Callbacks that run before the event loop gets a turn: an integer, at least 1; BATCH by default. */
  readonly batch?: number;
  /**
   * Whether a callback runs in the AsyncLocalStorage context in which its timer was set, as with Node's setTimeout. False
   * by default; true makes an AsyncResource for each timer.
   */
  readonly keepsContext?: boolean;
}

/** Milliseconds that a delay may have, as in Node: 24.8 days. */
export const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** At a microsecond for each callback this keeps I/O waiting for a millisecond, which is what a tick is. */
export const BATCH = 1000;

/**
 * A native timer that fires this much later, in ms, was delayed by a loop that stood still. A turn of a loop that keeps
 * up is shorter.
 */
export const LATE_MS = 10;

/** For this long, in ms, a native timer stays at most when the last timer was cleared. */
export const LINGER_MS = 500;

/**
 * Timeouts on top of any set whose timers expire by advance, with one native timer for all. For what Node's
 * setTimeout returns and does beyond that, at the price of an object for each timer, see node-timers.ts.
 *
 *     const timeouts = new Timeouts(hashedWheel, 100_000);
 *     const idle = timeouts.set((socket) => socket.destroy(), 30_000, socket);
 *     socket.on("data", () => timeouts.refresh(idle));
 *     socket.on("close", () => timeouts.clear(idle));
 *
 * Never early. The time at which a delay begins and the delay itself are both rounded up to whole milliseconds. A
 * native timer that fires too soon only makes it wait again. Late by that, and by what the set's own lateness and the
 * event loop add. A set whose lateness grows with the delay counts from its clock. `set` and `refresh` first bring the
 * clock to the present, at most once in a millisecond. In a callback that itself runs late, it stands where that was
 * due.
 *
 * A loop that stood still has I/O waiting that may postpone what became due meanwhile, such as messages on a socket
 * that the timeout guards. So where a native timer fires late, by LATE_MS or more, the event loop polls once before any
 * callback runs. What is cleared or refreshed in that poll does not run. Node's own timers do not wait so.
 *
 * When the last timer is cleared, the native one stays for LINGER_MS at most, and lets the process end meanwhile. So
 * requests that follow one another, each with a timeout that it does not need, share one.
 *
 * A callback runs in the order and at the turn that the set gives it. Callbacks run one after another and never from
 * within `set`, `clear` or `refresh`. A timer is live until its own callback begins. So callbacks may set, clear,
 * refresh and close as they like. A timer that one clears does not run, even when it was due at the same millisecond. A
 * timer that one refreshes runs later. A timer that one sets runs in a later millisecond, so that no wake goes on for
 * ever. The price is an `advance` for each callback instead of one for all, which matters little where most timers are
 * cleared or refreshed first.
 *
 * A callback that throws stops nothing. The error goes to onError. Without one it is thrown again from a microtask
 * after the batch, and reaches 'uncaughtException' as an error in setTimeout does, each on its own. (A microtask,
 * because an error thrown from process.nextTick holds up the ticks queued behind it.) A promise that a callback returns
 * is not looked at: if it rejects, that is an unhandled rejection like any other.
 *
 * Unlike with setTimeout, process.nextTick and promise reactions wait for the end of the batch. With a batch of 1 they
 * run after each callback; its price is a turn of the event loop for each. And unless `keepsContext` says otherwise,
 * AsyncLocalStorage shows a callback a context of no meaning: that in which the native timer happened to be armed.
 *
 * Handles. A positive integer below 2^53: keep it in a variable or a Float64Array, not in an Int32Array. As in the
 * set, `handle & placeMask(capacity)` is a place of the timer's own. The set's own handles come again after 16,383
 * timers at one place at a capacity of 100,000, and after 511 at the largest. A server that sets and clears uses one
 * place again and again. So these are distinguished further. A stale one is refused until its place has had 2^53 timers
 * divided by the number of places. That is 68,000 million at 100,000 and 2,000 million at the largest capacity. The
 * price is 8 bytes for each place, and that after those 16,383 a handle is a number on the heap.
 *
 * Memory: what the set takes, and 28 bytes for each place of the capacity. No object and no closure for a timer; what
 * has run or was cleared is no longer referred to.
 */
export class Timeouts {
  /** Timers that may be live at once. */
  readonly capacity: number;
  readonly #set: TimerSet;
  readonly #mask: number;
  readonly #clock: () => number;
  readonly #native: NativeTimers;
  readonly #onError: ((error: unknown, handle: number) => void) | undefined;
  readonly #batch: number;

  /** By place, while its timer is live. */
  readonly #callbacks: (((argument: unknown) => void) | undefined)[];
  readonly #arguments: unknown[];
  /** The same, where they keep the context in which they were set. */
  readonly #contexts: (AsyncResource | undefined)[] | undefined;
  /** By place: the last handle that was given, whose low 31 bits are the set's. 0 before the first. */
  readonly #handles: Float64Array;
  /** By place, whole milliseconds: what refresh repeats. */
  readonly #delays: Int32Array;
  readonly #out = new Int32Array(1);

  // Times are milliseconds that do not wrap, for a sleep may be longer than ticks can distinguish. `time | 0` is the
  // tick.

  /** What the clock shows at time 0; whole, so that subtracting it is exact. */
  readonly #origin: number;
  /** The latest time seen. */
  #latest: number;
  /** The time that the set's clock stands at. */
  #reached: number;
  /** Timers due after #limit, at what time; until that comes nearer the set has them at #limit. */
  readonly #far = new Map<number, number>();
  /** The set's horizon, or before it. */
  #limit = 0;

  /** When the native timer will fire: before that nothing can come due. AWAKE from when it has fired until the next is armed. */
  #wakeAt = NEVER;
  #timeout: NativeTimer | undefined;
  #immediate: NativeTimer | undefined;
  #keepsAlive = true;
  #open = true;

  /**
   * Makes a set of its own, for `capacity` timers: 1 .. MAX_CAPACITY. Throws a TypeError for an invalid `competitor`.
   * Throws a RangeError for one whose timers do not expire by advance, and for an invalid capacity or batch.
   */
  constructor(competitor: TimersCompetitor, capacity: number, options: TimeoutsOptions = {}) {
    assertExpires(competitor);
    assertOptions("Timeouts", options, OPTIONS);
    const {
      clock = () => performance.now(),
      native = runtimeTimers(),
      onError,
      batch = BATCH,
      keepsContext = false,
    } = options;
    assertInteger("batch", batch, 1, Number.MAX_SAFE_INTEGER);
    const set = privateTimers(competitor, capacity);
    this.capacity = capacity;
    this.#set = set;
    this.#mask = placeMask(capacity);
    this.#clock = clock;
    this.#native = native;
    this.#onError = onError;
    this.#batch = batch;
    this.#callbacks = new Array(capacity).fill(undefined);
    this.#arguments = new Array(capacity).fill(undefined);
    this.#contexts = keepsContext ? new Array(capacity).fill(undefined) : undefined;
    this.#handles = new Float64Array(capacity);
    this.#delays = new Int32Array(capacity);
    this.#reached = set.clock;
    this.#latest = set.clock;
    this.#origin = Math.floor(clock()) - set.clock;
  }

  /**
   * Calls `callback` once, with `argument`, after `delayMs` milliseconds: 0 .. LONGEST_DELAY_MS (24.8 days), and no
   * sooner than the next whole one. Returns a handle. Throws a TypeError or a RangeError for an invalid callback or
   * delay, a RangeError when the set is full, and an Error when closed. Nothing has changed then.
   */
  set(callback: () => void, delayMs: number): number;
  set<Argument>(callback: (argument: Argument) => void, delayMs: number, argument: Argument): number;
  set(callback: (argument: never) => void, delayMs: number, argument?: unknown): number {
    assertFunction("set", "callback", callback);
    const delay = wholeDelay(delayMs);
    if (!this.#open) throw new Error("these timeouts are closed");
    const now = this.#now();
    this.#catchUp(now);
    const deadline = deadlineTime(now, delay);
    const due = this.#dueTime(deadline);
    const own = this.#set.add(due | 0);
    if (this.#set.size === 1 && this.#keepsAlive) this.#timeout?.ref();
    const place = own & this.#mask;
    const handle = nextHandle(this.#handles[place]!, own);
    this.#handles[place] = handle;
    this.#note(handle, deadline);
    this.#callbacks[place] = callback as (argument: unknown) => void;
    this.#arguments[place] = argument;
    if (this.#contexts !== undefined) this.#contexts[place] = new AsyncResource("Timeouts");
    this.#delays[place] = delay;
    if (due < this.#wakeAt) this.#sleep(due, now);
    return handle;
  }

  /** Whether the timer was live; if so, its callback will not run. */
  clear(handle: number): boolean {
    const place = handle & this.#mask;
    if (!this.#open || this.#handles[place] !== handle || !this.#set.cancel(ownHandle(handle))) return false;
    this.#forget(place);
    if (this.#far.size > 0) this.#far.delete(handle);
    if (this.#set.size === 0) this.#linger();
    return true;
  }

  /**
   * Lets a live timer begin anew, with the delay that it has or another; the handle stays valid. Returns whether the
   * timer was live; its own callback finds that it is not any more, and sets another. Throws as `set` does for a delay
   * that is none, and then nothing has changed.
   */
  refresh(handle: number, delayMs?: number): boolean {
    const place = handle & this.#mask;
    const delay = delayMs === undefined ? (this.#delays[place] ?? 0) : wholeDelay(delayMs);
    if (!this.#open || this.#handles[place] !== handle) return false;
    const now = this.#now();
    this.#catchUp(now);
    const deadline = deadlineTime(now, delay);
    const due = this.#dueTime(deadline);
    if (!this.#set.refresh(ownHandle(handle), due | 0)) return false;
    this.#delays[place] = delay;
    this.#note(handle, deadline);
    if (due < this.#wakeAt) this.#sleep(due, now);
    return true;
  }

  /** Live timers. */
  get size(): number {
    return this.#open ? this.#set.size : 0;
  }

  /** From now on pending timers keep the process alive, as they do when nothing is said. */
  ref(): this {
    this.#keepsAlive = true;
    if (this.size > 0) this.#timeout?.ref();
    return this;
  }

  /** From now on the process may end while timers are pending. */
  unref(): this {
    this.#keepsAlive = false;
    this.#timeout?.unref();
    return this;
  }

  /** Pending callbacks never run, all handles are dead, and `set` throws. May be called again. */
  close(): void {
    this.#open = false;
    this.#disarm();
    this.#callbacks.fill(undefined);
    this.#arguments.fill(undefined);
    this.#contexts?.fill(undefined);
    this.#far.clear();
  }

  #now(): number {
    const time = this.#clock() - this.#origin;
    if (time > this.#latest) this.#latest = time;
    return this.#latest;
  }

  /** Called by the native timeout. */
  readonly #ring = (): void => {
    const lateMs = this.#now() - this.#wakeAt;
    this.#timeout = undefined;
    this.#wakeAt = AWAKE;
    if (lateMs < LATE_MS) this.#wake();
    // From one immediate to the next there is a poll on every runtime: Bun runs them before it polls, Node after.
    else this.#nextTurn(() => this.#nextTurn(this.#wake));
  };

  /** Runs what is due by now, at most a batch of it, and arms the next. */
  readonly #wake = (): void => {
    this.#immediate = undefined;
    const target = Math.floor(this.#now());
    let left = this.#batch;
    do {
      // Strides short of the horizon, so that none passes a timer that is kept at the horizon for want of ticks.
      this.#bringNearer();
      const stop = Math.min(target, this.#reached + HORIZON - 1);
      while (left > 0 && this.#open) {
        const own = this.#step(stop);
        if (own === NONE) break;
        left--;
        this.#run(own & this.#mask);
      }
    } while (left > 0 && this.#open && this.#reached < target);
    if (this.#open) this.#rearm(left > 0);
  };

  /** Moves the set's clock towards `time`, by less than the horizon, until a timer comes due: the set's handle, or NONE. */
  #step(time: number): number {
    // Never behind the set's clock, which a `set` in a callback may have moved on: far behind is ahead, for a tick.
    const stop = Math.max(this.#reached, Math.min(time, this.#reached + HORIZON - 1));
    const count = this.#set.advance(stop | 0, this.#out, 1);
    this.#reached += (this.#set.clock - this.#reached) | 0;
    return count === 0 ? NONE : this.#out[0]!;
  }

  /**
   * Brings the set's clock to the present, so that it judges a delay by its length and not by the time since the last
   * wake. Only where nothing can come due on the way: before the next wake, or in a set that is empty.
   */
  #catchUp(now: number): void {
    const present = Math.floor(now);
    if (this.#reached >= present || (present >= this.#wakeAt && this.#set.size > 0)) return;
    while (this.#reached < present) this.#step(present);
  }

  /** The time by which the set knows `deadline`. Once it has agreed, #note is to follow. */
  #dueTime(deadline: number): number {
    // Left alone while any are far, so that timers of one due time all are, and keep their order.
    if (this.#far.size === 0) this.#limit = this.#reached + HORIZON;
    return Math.min(deadline, this.#limit);
  }

  #note(handle: number, deadline: number): void {
    if (this.#far.size > 0) this.#far.delete(handle);
    if (deadline > this.#limit) this.#far.set(handle, deadline);
  }

  #bringNearer(): void {
    this.#limit = this.#reached + HORIZON;
    for (const [handle, deadline] of this.#far) {
      this.#set.refresh(ownHandle(handle), Math.min(deadline, this.#limit) | 0);
      if (deadline <= this.#limit) this.#far.delete(handle);
    }
  }

  #run(place: number): void {
    const handle = this.#handles[place]!;
    const callback = this.#callbacks[place]!;
    const argument = this.#arguments[place];
    const context = this.#contexts?.[place];
    // Before the call, in which the place may be given out again.
    this.#forget(place);
    try {
      if (context === undefined) callback(argument);
      else context.runInAsyncScope(callback, undefined, argument);
    } catch (error) {
      this.#report(error, handle);
    }
  }

  #forget(place: number): void {
    this.#callbacks[place] = undefined;
    this.#arguments[place] = undefined;
    if (this.#contexts !== undefined) this.#contexts[place] = undefined;
  }

  #report(error: unknown, handle: number): void {
    if (this.#onError === undefined) {
      throwLater(error);
      return;
    }
    try {
      this.#onError(error, handle);
    } catch (another) {
      throwLater(another);
    }
  }

  /** `done`: the set's clock has come to the present. If not, it must, even if nothing more should be due. */
  #rearm(done: boolean): void {
    const next = this.#set.nextExpiry();
    if (next === undefined) {
      this.#wakeAt = NEVER;
      return;
    }
    const expiry = this.#reached + ((next - this.#set.clock) | 0);
    // A set that is late may return a time after the limit by which distant timers must be brought nearer.
    const at = this.#far.size > 0 ? Math.min(expiry, this.#limit) : expiry;
    const now = this.#now();
    if (done && at > now) {
      this.#sleep(at, now);
      return;
    }
    // Not a timeout of 0: Node runs one that has become due meanwhile without looking at I/O in between.
    this.#nextTurn(this.#wake);
  }

  /**
   * An immediate that is unref'd does not run before something else wakes the event loop. A timer wakes it, and lets the
   * process end. So the immediate, which lasts for a turn, need not.
   */
  #nextTurn(run: () => void): void {
    const hurry = () => {
      this.#timeout = undefined;
      this.#immediate = this.#native.setImmediate(run);
    };
    if (this.#keepsAlive) {
      hurry();
    } else {
      this.#timeout = this.#native.setTimeout(hurry, 1);
      this.#timeout.unref();
    }
  }

  #sleep(at: number, now: number): void {
    if (this.#timeout !== undefined) this.#native.clearTimeout(this.#timeout);
    this.#wakeAt = at;
    this.#timeout = this.#native.setTimeout(this.#ring, Math.ceil(at - now));
    if (!this.#keepsAlive || this.#set.size === 0) this.#timeout.unref();
  }

  /**
   * None is live any more. A request that is done is soon followed by the next, whose timer would need a native one
   * again. So the native timer stays for a while, and lets the process end. It then wakes for nothing, once.
   */
  #linger(): void {
    if (this.#timeout === undefined) this.#disarm();
    else if (this.#wakeAt <= this.#latest + LINGER_MS) this.#timeout.unref();
    else {
      const now = this.#now();
      this.#sleep(Math.min(this.#wakeAt, now + LINGER_MS), now);
    }
  }

  /** Drops what is pending. During a wake that is nothing, and the wake itself handles what comes after. */
  #disarm(): void {
    if (this.#timeout !== undefined) this.#native.clearTimeout(this.#timeout);
    else if (this.#immediate !== undefined) this.#native.clearImmediate(this.#immediate);
    else return;
    this.#timeout = undefined;
    this.#immediate = undefined;
    this.#wakeAt = NEVER;
  }
}

/** No handle. */
const NONE = 0;
/** The set's handles are 1 .. 2^31 - 1. */
const OWN_HANDLES = 2 ** 31;
/** Later than any deadline: every timer set is earlier. */
const NEVER = Number.POSITIVE_INFINITY;
/** Sooner than any deadline: no timer set needs a native one. */
const AWAKE = Number.NEGATIVE_INFINITY;

/** The globals as they are now. A NodeTimers that takes their place later must not be its own native timers. */
export function runtimeTimers(): NativeTimers {
  const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
  // They are called without a `this`, which Deno would refuse.
  return {
    setTimeout: (wake, delayMs) => setTimeout(wake, delayMs),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
    setImmediate: (wake) => setImmediate(wake),
    clearImmediate: (timer) => clearImmediate(timer as NodeJS.Immediate),
  };
}

const OPTIONS: OptionKinds<TimeoutsOptions> = {
  clock: "function",
  native: "object",
  onError: "function",
  batch: "any",
  keepsContext: "boolean",
};

function assertExpires(competitor: TimersCompetitor): void {
  assertUsable(competitor, TIMERS);
  const { expiry } = competitor;
  if (expiry !== "advance")
    throw new RangeError(
      `timers that expire by ${expiry} cannot call back: choose some that expire by advance`,
    );
}

/** Throws as Timeouts.set does for an invalid delay. */
export function wholeDelay(delayMs: number): number {
  if (typeof delayMs !== "number") throw new TypeError(`a delay is a number, not ${typeof delayMs}`);
  if (!(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS)) {
    throw new RangeError(`a delay is 0 to ${LONGEST_DELAY_MS} milliseconds, not ${delayMs}`);
  }
  return Math.ceil(delayMs);
}

/** The first handle after `last` that has the set's as its low bits, whatever the set's generations do. */
function nextHandle(last: number, own: number): number {
  const handle = last - ownHandle(last) + own;
  if (handle > last) return handle;
  return handle <= Number.MAX_SAFE_INTEGER - OWN_HANDLES ? handle + OWN_HANDLES : own;
}

/** The set's handle, which is the low 31 bits: of any number, as `&` takes it. */
function ownHandle(handle: number): number {
  return handle & (OWN_HANDLES - 1);
}

/** Not before the delay is over, and after the millisecond that `now` is in, which a wake may be about to finish. */
function deadlineTime(now: number, delay: number): number {
  return Math.max(Math.ceil(now) + delay, Math.floor(now) + 1);
}

/** It reaches 'uncaughtException' from a microtask. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
