import { AsyncResource } from "node:async_hooks";
import { inspect, promisify } from "node:util";
import { assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import { assertUsable } from "../../shared/instance.ts";
import { TIMERS, type TimersCompetitor } from "../timers.contract.ts";
import {
  LONGEST_DELAY_MS,
  type NativeTimer,
  type NativeTimers,
  runtimeTimers,
  Timeouts,
  type TimeoutsOptions,
  throwLater,
  wholeDelay,
} from "./callbacks.ts";
import { timeoutError } from "./timeout-error.ts";

export interface NodeTimersOptions extends Omit<TimeoutsOptions, "onError" | "keepsContext"> {
  /** Timers that may be live before it grows for the first time: 1 .. MAX_CAPACITY; FIRST_CAPACITY by default. */
  readonly capacity?: number;
  /**
   * Whether a callback runs in the AsyncLocalStorage context in which its timer was set, as Node's do. True by default;
   * false spares an AsyncResource for each timer, and then a callback has a context of no meaning.
   */
  readonly keepsContext?: boolean;
}

/** As in node:timers/promises. */
export interface PromiseOptions {
  /** Whether it keeps the process alive while it is pending; true by default. */
  readonly ref?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DeadlineOptions {
  /** The caller's own: once it is aborted, the deadline's is, with the same reason. */
  readonly signal?: AbortSignal | undefined;
}

type StartTimer = <Arguments extends unknown[]>(
  callback: (this: Timeout, ...args: Arguments) => void,
  delayMs?: number,
  ...args: Arguments
) => Timeout;

/** Node's, with timers of a NodeTimers. A call finds the first signature; the other makes it assignable to the global. */
export type SetTimeout = StartTimer & typeof globalThis.setTimeout;
export type SetInterval = StartTimer & typeof globalThis.setInterval;

export const FIRST_CAPACITY = 4096;

const OPTIONS: OptionKinds<NodeTimersOptions> = {
  capacity: "any",
  clock: "function",
  native: "object",
  batch: "any",
  keepsContext: "boolean",
};

/**
 * The most places that it grows by at a time. To make and format that many takes a few tenths of a millisecond, however
 * many there are already.
 */
export const MOST_GROWTH = 2 ** 13;

/**
 * Node's setTimeout, setInterval and node:timers/promises on top of a set of timers:
 *
 *     const { setTimeout, clearTimeout, setInterval, promises } = new NodeTimers(hashedWheel);
 *     const idle = setTimeout((socket) => socket.destroy(), 30_000, socket);
 *     socket.on("data", () => idle.refresh());
 *     await promises.setTimeout(1000, undefined, { signal });
 *
 * A deadline is a signal that is aborted in time, for a call that takes one, and a timer that ends with its block:
 *
 *     using deadline = timers.deadline(5000, { signal: caller });
 *     await fetch(url, { signal: deadline.signal });
 *
 * The functions have the types of Node's. They can take the place of the global ones and of those of node:timers, also
 * for code that looks them up at each call, as undici and pg-pool do. Its own native timers are those that were global
 * when it was made.
 *
 * As in Node: a timer is an object, below, with all that Node's has. A delay that is no number, less than 1 or more
 * than LONGEST_DELAY_MS is 1, with Node's warning. Callbacks are given their arguments, and their timer as `this`. An interval begins anew
 * when its callback begins. What a callback throws reaches 'uncaughtException' and stops no other timer, nor an interval.
 *
 * Unlike Node, as Timeouts has it: never early, so a fraction of a millisecond rounds up, and timers run in the order
 * that the set promises. process.nextTick and promise reactions wait for the end of a batch, unless a batch is 1. An
 * iterator of an interval keeps the process alive only while it is asked for its next value. Node's private fields are not
 * there, except those that its clearTimeout uses, and _destroyed.
 *
 * clearTimeout ends any timer, given itself: of this, of another NodeTimers, and the runtime's. Node's
 * own clearTimeout ends a timer of this, given itself. Given the number that a timer was turned into, it does nothing:
 * **that timer runs**. clearTimeout of Bun or Deno ends no timer of this.
 *
 * It grows by adding to what there is, by MOST_GROWTH places at most. Each growth is a Timeouts of its own, with a
 * native timer of its own, and nothing is ever moved. So there is no pause, but timers of different growths that are
 * due in the same wake run growth by growth. Each also takes what the set does beside its places, 270 kB for
 * hashed-wheel's slots. It does not shrink. Where the number of timers is known, say it as the capacity.
 *
 * Price: beside what Timeouts takes, an object of twelve fields and an array of arguments for each timer, and an
 * AsyncResource by default. Collecting them costs as well. A caller with its own place for a handle uses Timeouts,
 * which makes no object.
 *
 * One thread's own. The functions need no `this`.
 */
export class NodeTimers {
  readonly #growths: Growths;
  readonly #native: NativeTimers;
  readonly #abortions = new Abortions();
  readonly promises: TimerPromises;

  /** Calls `callback` once, after `delayMs` milliseconds. Throws a TypeError for a callback that is none. */
  readonly setTimeout: SetTimeout;

  /** Throws as Timeouts does for invalid options. */
  constructor(competitor: TimersCompetitor, options: NodeTimersOptions = {}) {
    assertUsable(competitor, TIMERS);
    assertOptions("NodeTimers", options, OPTIONS);
    const { native = runtimeTimers() } = options;
    this.#native = native;
    this.#growths = new Growths(competitor, { ...options, native });
    this.promises = new TimerPromises(this, this.#abortions);
    this.setTimeout = Object.assign(this.#setter(false), {
      [promisify.custom]: this.promises.setTimeout,
    }) as StartTimer as SetTimeout;
    this.setInterval = this.#setter(true) as SetInterval;
  }

  /** Calls `callback` every `delayMs` milliseconds until cleared. Throws as setTimeout does. */
  readonly setInterval: SetInterval;

  /** Ends a timer, given itself or as the primitive that it was turned into. The runtime's own clearTimeout is given all else. */
  readonly clearTimeout = (timer: NodeJS.Timeout | number | string | null | undefined): void => {
    const isName = typeof timer === "number" || typeof timer === "string";
    const own = isName ? this.#growths.named.get(Number(timer)) : timer;
    if (own instanceof Timeout) own.close();
    else if (timer !== null && timer !== undefined) this.#native.clearTimeout(timer as NativeTimer);
  };

  /** The same. */
  readonly clearInterval = this.clearTimeout;

  /**
   * A signal that is aborted after `delayMs` milliseconds with the TimeoutError of AbortSignal.timeout, unless it was
   * cancelled by then; or sooner, with the reason of the caller's signal. Like AbortSignal.timeout it does not keep the
   * process alive. It leaves no timer and no listener once it is cancelled or aborted. Throws a RangeError unless
   * `delayMs` is 0 .. LONGEST_DELAY_MS, and a TypeError for what is no number or no signal.
   */
  readonly deadline = (delayMs: number, options: DeadlineOptions = {}): Deadline => {
    assertOptions("deadline", options, DEADLINE_OPTIONS);
    const delay = Math.max(1, wholeDelay(delayMs));
    return new Deadline(this.#growths, this.#abortions, delay, options.signal);
  };

  #setter(repeats: boolean): StartTimer {
    return (callback, delayMs, ...args) =>
      new Timeout(this.#growths, callback as Callback, delayMs, args, repeats);
  }

  /** Live timers. */
  get size(): number {
    return this.#growths.size;
  }

  /** Timers that may be live before it grows again. */
  get capacity(): number {
    return this.#growths.capacity;
  }

  /** Pending callbacks never run, promises stay pending and leave their signals alone, and setTimeout throws. May be called again. */
  close(): void {
    this.#growths.close();
    this.#abortions.close();
  }
}

type Callback = (this: Timeout, ...args: unknown[]) => void;

const DEADLINE_OPTIONS: OptionKinds<DeadlineOptions> = { signal: "signal" };

/** What `deadline` returns. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #context: AsyncResource | undefined;
  /** Where it is pending, and its handle there; 0 while it is not. */
  readonly #growth: Growth | undefined;
  #handle = 0;
  readonly #forget: (() => void) | undefined;

  /** For NodeTimers. */
  constructor(growths: Growths, abortions: Abortions, delayMs: number, caller: AbortSignal | undefined) {
    if (caller?.aborted) {
      this.#controller.abort(caller.reason);
      return;
    }
    this.#growth = growths.withRoom();
    this.#handle = this.#growth.timeouts.set(Deadline.#pass, delayMs, this);
    // As with AbortSignal.timeout, listeners find the context in which the deadline was made.
    if (growths.keepsContext) this.#context = new AsyncResource("Deadline");
    if (caller === undefined) return;
    this.#forget = abortions.listen(caller, (reason) => {
      this.cancel();
      this.#controller.abort(reason);
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the signal is not aborted. May be called again, and once the signal is aborted. */
  cancel(): void {
    if (this.#handle === 0) return;
    this.#growth!.timeouts.clear(this.#handle);
    this.#end();
  }

  /** As `cancel`. */
  [Symbol.dispose](): void {
    this.cancel();
  }

  static readonly #pass = (deadline: Deadline): void => {
    deadline.#end();
    const abort = () => deadline.#controller.abort(timeoutError());
    if (deadline.#context === undefined) abort();
    else deadline.#context.runInAsyncScope(abort);
  };

  #end(): void {
    this.#handle = 0;
    this.#forget?.();
  }
}

/**
 * What the next timer that is turned into a primitive becomes. These numbers lie beyond those that a runtime gives to its
 * own timers, and no two NodeTimers of a thread give the same: so no number means two timers.
 */
let nextName = 2 ** 52;

/** What setTimeout and setInterval return. A NodeJS.Timeout to the types, and to Node's global clearTimeout. */
export class Timeout implements NodeJS.Timeout {
  readonly #growths: Growths;
  readonly #callback: Callback;
  readonly #args: readonly unknown[];
  readonly #delay: number;
  readonly #repeats: boolean;
  readonly #context: AsyncResource | undefined;
  /** Where it is pending, and its handle there; 0 while it is not. */
  #growth: Growth | undefined;
  #handle = 0;
  #keepsAlive = true;
  #isClosed = false;
  /** The primitive that it was turned into, or 0. */
  #name = 0;

  /** For NodeTimers. */
  constructor(
    growths: Growths,
    callback: Callback,
    delayMs: unknown,
    args: readonly unknown[],
    repeats: boolean,
  ) {
    if (typeof callback !== "function") throw wrong("callback", "a function", callback);
    this.#growths = growths;
    this.#callback = callback;
    this.#args = args;
    this.#delay = delayAsNode(delayMs);
    this.#repeats = repeats;
    this.#context = growths.keepsContext ? new AsyncResource("Timeout") : undefined;
    this.#begin();
  }

  /** Begins anew, with the same delay, even after it has run; but not once it was cleared. */
  refresh(): this {
    if (this.#isClosed) return this;
    if (this.#handle === 0) this.#begin();
    else this.#growth!.timeouts.refresh(this.#handle);
    return this;
  }

  /** Whether it keeps the process alive while it is pending: what ref and unref have said last, even once it was cleared. */
  hasRef(): boolean {
    return this.#keepsAlive;
  }

  ref(): this {
    if (!this.#keepsAlive && this.#handle !== 0) this.#growth!.hold();
    this.#keepsAlive = true;
    return this;
  }

  unref(): this {
    if (this.#keepsAlive && this.#handle !== 0) this.#growth!.letGo();
    this.#keepsAlive = false;
    return this;
  }

  /** As clearTimeout. */
  close(): this {
    if (this.#handle !== 0) {
      this.#growth!.timeouts.clear(this.#handle);
      this.#leave();
    }
    this.#isClosed = true;
    this.#forget();
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A number that clearTimeout takes in its place, while it is pending. */
  [Symbol.toPrimitive](): number {
    if (this.#name === 0) this.#name = nextName++;
    if (this.#handle !== 0) this.#growths.named.set(this.#name, this);
    return this.#name;
  }

  /** Node's global clearTimeout looks whether there is any, and sets it to null to say that it shall never run. */
  get _onTimeout(): (...args: unknown[]) => void {
    return this.#callback;
  }

  set _onTimeout(callback: unknown) {
    if (callback === null) this.close();
  }

  /** Programs that use Node's private fields ask whether it is over. */
  get _destroyed(): boolean {
    return this.#handle === 0;
  }

  static readonly #fire = (timer: Timeout): void => timer.#run();

  #begin(): void {
    const growth = this.#growths.withRoom();
    this.#handle = growth.timeouts.set(Timeout.#fire, this.#delay, this);
    this.#growth = growth;
    if (this.#keepsAlive) growth.hold();
    if (this.#name !== 0) this.#growths.named.set(this.#name, this);
  }

  #run(): void {
    this.#leave();
    // Before the callback, so that the next run counts from this one and the callback may clear it.
    if (this.#repeats) this.#begin();
    const context = this.#context;
    try {
      if (context === undefined) Reflect.apply(this.#callback, this, this.#args);
      else context.runInAsyncScope(this.#callback, this, ...this.#args);
    } catch (error) {
      if (context === undefined) throw error;
      // As in Node, 'uncaughtException' finds the context of the callback, and a domain its error.
      context.runInAsyncScope(throwLater, undefined, error);
    } finally {
      if (this.#handle === 0) this.#forget();
    }
  }

  /** It is not pending any more. */
  #leave(): void {
    this.#handle = 0;
    if (this.#keepsAlive) this.#growth!.letGo();
    this.#growth = undefined;
  }

  #forget(): void {
    if (this.#name !== 0) this.#growths.named.delete(this.#name);
  }
}

/** A Timeouts, which keeps the process alive while one of its timers does. */
class Growth {
  readonly timeouts: Timeouts;
  #keepingAlive = 0;

  constructor(timeouts: Timeouts) {
    this.timeouts = timeouts.unref();
  }

  hold(): void {
    if (this.#keepingAlive++ === 0) this.timeouts.ref();
  }

  letGo(): void {
    if (--this.#keepingAlive === 0) this.timeouts.unref();
  }
}

/** All that the timers of one NodeTimers share. */
class Growths {
  readonly keepsContext: boolean;
  /** Pending timers by the primitive that they were turned into. */
  readonly named = new Map<number, Timeout>();
  readonly #competitor: TimersCompetitor;
  readonly #options: TimeoutsOptions;
  readonly #all: Growth[] = [];
  /** The one that had room last. */
  #current: Growth;

  constructor(competitor: TimersCompetitor, options: NodeTimersOptions) {
    const { capacity = FIRST_CAPACITY, keepsContext = true, ...others } = options;
    this.#competitor = competitor;
    // Each timer of this keeps its own.
    this.#options = { ...others, keepsContext: false };
    this.keepsContext = keepsContext;
    this.#current = this.#grow(capacity);
  }

  get size(): number {
    return this.#all.reduce((sum, { timeouts }) => sum + timeouts.size, 0);
  }

  get capacity(): number {
    return this.#all.reduce((sum, { timeouts }) => sum + timeouts.capacity, 0);
  }

  /** One that has a place free, made if need be. */
  withRoom(): Growth {
    if (hasRoom(this.#current)) return this.#current;
    this.#current = this.#all.find(hasRoom) ?? this.#grow(Math.min(this.capacity, MOST_GROWTH));
    return this.#current;
  }

  close(): void {
    for (const { timeouts } of this.#all) timeouts.close();
    this.named.clear();
  }

  #grow(capacity: number): Growth {
    const growth = new Growth(new Timeouts(this.#competitor, capacity, this.#options));
    this.#all.push(growth);
    return growth;
  }
}

function hasRoom({ timeouts }: Growth): boolean {
  return timeouts.size < timeouts.capacity;
}

/** As node:timers/promises: setTimeout, setInterval, and scheduler.wait. */
export class TimerPromises {
  readonly #timers: NodeTimers;
  readonly #abortions: Abortions;

  /** For NodeTimers. */
  constructor(timers: NodeTimers, abortions: Abortions) {
    this.#timers = timers;
    this.#abortions = abortions;
  }

  /** Resolves to `value` after `delayMs` milliseconds; rejects with an AbortError once the signal is aborted. */
  readonly setTimeout = async <Value = void>(
    delayMs?: number,
    value?: Value,
    options: PromiseOptions = {},
  ): Promise<Value> => {
    const { ref = true, signal } = checked(delayMs, options);
    return new Promise((resolve, reject) => {
      const timer = this.#timers.setTimeout(() => {
        forget();
        resolve(value as Value);
      }, delayMs);
      const forget = this.#abortions.listen(signal, (reason) => {
        timer.close();
        reject(new AbortError(reason));
      });
      if (!ref) timer.unref();
    });
  };

  /**
   * Yields `value` every `delayMs` milliseconds, as often as was due. Once the signal is aborted, it yields what was due by
   * then, as Node does, and throws an AbortError. It begins when it is asked for the first time. While no caller waits for
   * its next value it does not keep the process alive.
   */
  readonly setInterval = <Value = void>(
    delayMs?: number,
    value?: Value,
    options: PromiseOptions = {},
  ): AsyncGenerator<Value, undefined> => this.#everyMs(delayMs, value as Value, options);

  readonly scheduler = {
    /** The same as setTimeout, without a value. */
    wait: (delayMs?: number, options?: PromiseOptions): Promise<void> =>
      this.setTimeout(delayMs, undefined, options),
  };

  async *#everyMs<Value>(
    delayMs: number | undefined,
    value: Value,
    options: PromiseOptions,
  ): AsyncGenerator<Value, undefined> {
    const { ref = true, signal } = checked(delayMs, options);
    let due = 0;
    let aborted: AbortError | undefined;
    let woken: (() => void) | undefined;
    const wake = () => {
      const resolve = woken;
      woken = undefined;
      resolve?.();
    };
    const timer = this.#timers
      .setInterval(() => {
        due++;
        wake();
      }, delayMs)
      .unref();
    const forget = this.#abortions.listen(signal, (reason) => {
      aborted = new AbortError(reason);
      timer.close();
      wake();
    });
    try {
      for (;;) {
        while (due === 0) {
          if (aborted !== undefined) throw aborted;
          if (ref) timer.ref();
          await new Promise<void>((resolve) => (woken = resolve));
          timer.unref();
        }
        due--;
        yield value;
      }
    } finally {
      forget();
      timer.close();
    }
  }
}

type Abort = (reason: unknown) => void;

/**
 * The signals that what is pending listens to. Each gets one listener, because an EventTarget looks through all that it has
 * to add or remove one: 100,000 requests may share the signal by which their server ends.
 */
class Abortions {
  readonly #bySignal = new Map<AbortSignal, { readonly pending: Set<Abort>; readonly abort: () => void }>();

  /** Calls `aborted` once the signal is, if there is one, unless what it returns was called before, or all were closed. */
  listen(signal: AbortSignal | undefined, aborted: Abort): () => void {
    if (signal === undefined) return () => {};
    const { pending } = this.#bySignal.get(signal) ?? this.#hear(signal);
    pending.add(aborted);
    return () => {
      if (pending.delete(aborted) && pending.size === 0) this.#forget(signal);
    };
  }

  close(): void {
    for (const [signal, { pending }] of this.#bySignal) {
      this.#forget(signal);
      pending.clear();
    }
  }

  #hear(signal: AbortSignal) {
    const pending = new Set<Abort>();
    const abort = () => {
      this.#forget(signal);
      // One that another of them ends is not called any more.
      for (const aborted of pending) {
        pending.delete(aborted);
        aborted(signal.reason);
      }
    };
    const heard = { pending, abort };
    signal.addEventListener("abort", abort);
    this.#bySignal.set(signal, heard);
    return heard;
  }

  #forget(signal: AbortSignal): void {
    const heard = this.#bySignal.get(signal);
    if (heard === undefined) return;
    signal.removeEventListener("abort", heard.abort);
    this.#bySignal.delete(signal);
  }
}

/** As Node's, which it does not export. */
class AbortError extends Error {
  override readonly name = "AbortError";
  readonly code = "ABORT_ERR";

  constructor(cause: unknown) {
    super("The operation was aborted", { cause });
  }
}

/** Throws a TypeError for an invalid delay or options, and an AbortError where their signal is aborted. */
function checked(delayMs: unknown, options: PromiseOptions): PromiseOptions {
  if (delayMs !== undefined && typeof delayMs !== "number") throw wrong("delay", "a number", delayMs);
  const signal = signalOf(options);
  const { ref = true } = options;
  if (typeof ref !== "boolean") throw wrong("options.ref", "a boolean", ref);
  if (signal?.aborted) throw new AbortError(signal.reason);
  return options;
}

/** Throws a TypeError for invalid options. */
function signalOf(options: DeadlineOptions): AbortSignal | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw wrong("options", "an object", options);
  const { signal } = options;
  // As Node does: signals of other realms and of libraries are none of this class.
  if (signal !== undefined && !(typeof signal === "object" && signal !== null && "aborted" in signal))
    throw wrong("options.signal", "an AbortSignal", signal);
  return signal;
}

/** As Node's. */
class ArgumentTypeError extends TypeError {
  readonly code = "ERR_INVALID_ARG_TYPE";

  override toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

function wrong(name: string, expected: string, given: unknown): TypeError {
  return new ArgumentTypeError(`${name} is ${expected}, not ${inspect(given, { depth: 0 })}`);
}

/** Warnings that Node gives once in a process. */
const GIVEN = new Set<string>();

/** Milliseconds for what setTimeout was given. Warns as Node does where they are others. */
function delayAsNode(delayMs: unknown): number {
  if (delayMs === undefined) return 1;
  const delay = Number(delayMs);
  if (delay >= 1 && delay <= LONGEST_DELAY_MS) return delay;
  if (delay > LONGEST_DELAY_MS)
    warn(`${delay} does not fit into a 32-bit signed integer`, "TimeoutOverflowWarning");
  else if (delay < 0) warnOnce(`${delay} is a negative number`, "TimeoutNegativeWarning");
  else if (Number.isNaN(delay)) warnOnce(`${delay} is not a number`, "TimeoutNaNWarning");
  return 1;
}

function warnOnce(what: string, name: string): void {
  if (GIVEN.has(name)) return;
  GIVEN.add(name);
  warn(what, name);
}

function warn(what: string, name: string): void {
  process.emitWarning(`${what}.\nTimeout duration was set to 1.`, name);
}
