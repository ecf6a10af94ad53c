import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";
import type { NativeTimers } from "../timers/parts/callbacks.ts";

/**
 * Gives a request its deadline: a signal that is aborted when the time is over, unless the request is done before.
 *
 * A signal is aborted once, with the TimeoutError of AbortSignal.timeout: a DOMException of that name. It is never early.
 * On an event loop that is never late, it is late by `lateness` at most. If the request has a caller with a signal of its
 * own, the deadline's is aborted together with that, with the same reason; at once where that is aborted already. No
 * deadline keeps the process alive. One that is cancelled is never aborted. One that is over, cancelled or aborted, leaves
 * no listener at its caller's signal, and after a second no timer. Where `cancels` is false, only the promises on aborts
 * hold.
 */
export interface DeadlinesCompetitor extends Traits {
  /**
   * What lets its deadlines pass. `given`: the loop that it is created with. `runtime`: the runtime's own, whatever it is
   * given. Such timers count from the beginning of a turn of the event loop, and may be early by that.
   */
  readonly clock: "given" | "runtime";
  /** Whether `cancel` ends a deadline. If not, it does nothing: signal and timer stay until they are collected, or due. */
  readonly cancels: boolean;
  /** The longest time after its delay at which a signal is aborted, in ms. */
  lateness(delayMs: number): number;
  /** For one thread. The loop is the runtime's by default. */
  create(loop?: DeadlineLoop): Deadlines;
}

export interface Deadlines {
  /**
   * Begins a deadline of `delayMs` whole milliseconds: 0 .. LONGEST_DELAY_MS, where 0 counts as 1. `caller` is the signal
   * of the caller, if there is one.
   */
  make(delayMs: number, caller?: AbortSignal): Deadline;
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** The request is done. May be called again, and once the signal is aborted. */
  cancel(): void;
}

/** The parts of the event loop that deadlines use: timers, and the clock that they keep to. */
export interface DeadlineLoop extends NativeTimers {
  /** Monotonic, in ms. */
  now(): number;
}

export const contract = {
  question: "What does it cost to give each request a deadline, when nearly all are done in time?",
  oracle: "abort-controller-set-timeout",
  fields: {
    clock: { given: true, runtime: true },
    cancels: "boolean",
    lateness: "function",
    create: "function",
  },
  optional: {},
  footprint: ({ cancels }) =>
    cancels ? "on the heap, until it is over" : "on the heap, until it is collected or due",
} satisfies Contract<DeadlinesCompetitor>;
