import type { Contract } from "../shared/contract.ts";
import { assertUsable, type Kind } from "../shared/instance.ts";
import { allocateFor, type LinearMemory, type Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";
import { assertCapacity } from "./parts/handles.ts";

/**
 * Many timers, one clock that the caller moves: which of them are due?
 *
 * Ticks. A tick is an integer of the caller's own length (a millisecond, say). Ticks are int32 and wrap, as Linux
 * jiffies do: a server that counts milliseconds passes 2^31 after 25 days. Tick a is before b when ((a - b) | 0) < 0.
 * Any number is taken modulo 2^32, so `now + 30_000` needs no care.
 *
 * Clock. The clock starts at 0. Only `advance` moves it, and only forward: a `now` at or before the clock leaves it
 * where it is. A jump of up to 2^31 - 1 ticks reports all timers on the way in the same order as single steps would.
 *
 * Due. A timer is never reported by an advance to a `now` before its deadline. A deadline at or before the clock
 * counts as clock + 1. A timer that is set again while it is handled thus cannot keep one advance going for ever. A
 * deadline more than HORIZON ticks (2^30) ahead of the clock throws a RangeError: clamping it would make it early. A
 * delay of 2^31 ticks or more looks like a deadline in the past and fires at the next tick. The caller has to bound
 * its delays.
 *
 * Between advances. `add`, `cancel` and `refresh` may come in any order and report nothing. `advance` makes no
 * callbacks: it writes handles to an array and returns, so there is no re-entrancy. A handle that it has written is
 * no longer live: cancel returns false. A timer that the budget left over is live in every respect until a later
 * advance reports it. For callbacks on top, see parts/callbacks.ts.
 *
 * Handles. A positive int32. Its low bits, `handle & placeMask(capacity)`, are a place in 0 .. capacity - 1 that no
 * other live timer has: index your own arrays with it. The other bits distinguish generations of a place, so that a
 * handle that is no longer live is refused. This fails once its place has been reused once for every generation.
 * There are 2^31 divided by the number of places, less one (16,383 at a capacity of 100,000).
 *
 * The places of reported timers are free at once, and the next add may take one. Look up a whole batch in your own
 * arrays before you add for the first of it.
 *
 * Capacity. Fixed when formatted, 1 .. MAX_CAPACITY, because a shared region cannot grow and the split of a handle
 * depends on it. `add` on a full set throws a RangeError and changes nothing.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then threads attach. A
 *   competitor
 * that keeps its timers in private memory returns 0 words, and each attach is then an empty set of its own.
 *
 * Crews. If `callers` is `crew`, one formatted region serves all workers that attach to it at once, each through a
 * TimerSet of its own. Any worker may cancel or refresh any handle. Of all cancels and reports of a timer, by any
 * workers, exactly one succeeds. An advance may report timers that other workers set, or leave them to the worker
 * that set them. `size` counts the timers of all.
 */
export interface TimersCompetitor extends Traits {
  /** The order of reports that it promises, while one worker uses it. */
  readonly order: Order;
  readonly expiry: Expiry;
  readonly callers: "one" | "crew";
  /** The number of timers beyond which it costs far too much, so that races leave it out. Absent: no limit. */
  readonly mostTimers?: number;
  /** The same for timers that are due in one tick. */
  readonly mostInOneTick?: number;
  /** What the contract requires and its mechanism lacks, and what replaces it, in a few words. */
  readonly emulates?: string;
  /**
   * Ticks that a report may come after its deadline when the clock moves one tick at a time, for a timer set `delay`
   * ticks ahead. 0 is exact, 999 is a sweep every 1,000 ticks, Infinity never reports. It is part of the promise,
   * never of the workload.
   */
  lateness(delay: number): number;
  /** Size in int32 words for `capacity` timers and a crew of `workers`; 0 where all memory is private. */
  words(capacity: number, workers: number): number;
  format(memory: Region, capacity: number, workers: number): void;
  attach(memory: Region, capacity: number, worker: WorkerIdentity, linear?: LinearMemory): TimerSet;
}

/**
 * Order of reports, over all advances. `fifo`: by deadline, and timers of one tick in the order in which they were
 * added or last refreshed. `deadline`: by deadline, and timers of one tick in any order. `none`: any order.
 */
export type Order = "fifo" | "deadline" | "none";

/**
 * What makes a timer expire. `advance`: the caller's clock. `event-loop`: the runtime's own clock and loop, in ticks
 * of a real millisecond; `advance` only hands over what has fired since. `nothing`: for a lower bound, which keeps timers
 * and never reports any.
 */
export type Expiry = "advance" | "event-loop" | "nothing";

/** One thread's timers. Not to be passed to another thread. */
export interface TimerSet {
  /** Sets a timer. Throws a RangeError when the set is full or `deadline` is beyond the horizon. */
  add(deadline: number): number;
  /** Cancels the timer and returns whether it was live. True once for a handle, then false. */
  cancel(handle: number): boolean;
  /**
   * Moves a live timer to a new deadline, sooner or later, as cancelling and adding would. The handle stays valid, so
   * its owner has nothing to store. Returns whether the timer was live; a dead one stays dead. Throws as `add` does,
   * and the timer then keeps its old deadline.
   */
  refresh(handle: number, deadline: number): boolean;
  /**
   * Moves the clock towards `now` and writes the handles of timers that came due to out[0], out[1] and on. It writes
   * at most `budget` of them, and no more than fit. Returns how many it wrote. Fewer than that limit means that the
   * clock has reached `now` and nothing due is left. At the limit another advance to the same `now` continues from
   * there. The clock stands at the tick of the last one reported, or, for order none, anywhere from there to `now`.
   */
  advance(now: number, out: Int32Array, budget: number): number;
  /**
   * A tick until which the caller can sleep without breaking a promise: no live timer's deadline passes by more
   * than its lateness. Undefined when nothing will be reported. It may be too early, but an advance to it gets
   * nearer. It is never before the clock. It is the clock itself only if a budget left timers over. An advance to an
   * earlier tick reports only what was added or refreshed since.
   */
  nextExpiry(): number | undefined;
  /** Live timers. */
  readonly size: number;
  /** The tick that the clock stands at, as this worker last saw it. */
  readonly clock: number;
}

/** A set that belongs to the calling thread alone. Throws a RangeError for a capacity outside 1 .. MAX_CAPACITY. */
export function privateTimers(competitor: TimersCompetitor, capacity: number): TimerSet {
  assertUsable(competitor, TIMERS);
  assertCapacity(capacity);
  return attachedAlone(competitor, capacity);
}

/** The same for any capacity, for tests of how the competitor handles it. */
export function attachedAlone(competitor: TimersCompetitor, capacity: number): TimerSet {
  const { memory, linear } = allocateFor(competitor, competitor.words(capacity, 1));
  competitor.format(memory, capacity, 1);
  return competitor.attach(memory, capacity, { index: 0, workers: 1, role: "worker", seed: 0 }, linear);
}

/** What a door that takes a set of timers is given. */
export const TIMERS: Kind = {
  what: "set of timers",
  module: "hotpath-lab/timers/hashed-wheel",
  mark: "expiry",
};

export const contract = {
  question:
    "Which structure keeps ten thousand to a million timeouts, almost all of them moved before they fire?",
  oracle: "sorted-list",
  fields: {
    order: { fifo: true, deadline: true, none: true },
    expiry: { advance: true, "event-loop": true, nothing: true },
    callers: { one: true, crew: true },
    lateness: "function",
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { mostTimers: "number", mostInOneTick: "number", emulates: "string" },
  contradiction({ expiry, lowerBound, lateness, callers, needsLinear }) {
    if (needsLinear && callers === "crew")
      return 'needsLinear is for callers "one": the timers of a crew are given no Memory';
    if (expiry === "nothing" && lowerBound === undefined)
      return 'expiry "nothing" is for lower bounds: say what makes a timer expire, or lowerBound: true';
    if (expiry === "advance" && !Number.isFinite(lateness(1)))
      return "lateness of a timer that expires by advance is a number of ticks, not Infinity";
    return undefined;
  },
  footprint(timers) {
    const words = timers.words(100_000, 1);
    if (words === 0) return "private memory";
    return `${((words * Int32Array.BYTES_PER_ELEMENT) / 100_000).toFixed(1)} B per timer at 100,000`;
  },
} satisfies Contract<TimersCompetitor>;
