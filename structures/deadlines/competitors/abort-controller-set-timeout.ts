import type { NativeTimer } from "../../timers/parts/callbacks.ts";
import type { Deadlines, DeadlinesCompetitor } from "../deadlines.contract.ts";
import { overTimers } from "../parts/over-timers.ts";
import { runtimeLoop } from "../parts/runtime-loop.ts";

/**
 * The oracle, and what is written by hand: an AbortController and a setTimeout that is cleared.
 *
 * Promise: that of the contract, to the millisecond where the runtime's timers are.
 * Progress: wait-free; what the runtime does behind setTimeout is not counted.
 * Threads: one.
 * Cost: a native timer, set and cleared, for each deadline.
 * Memory: a controller, a Timeout of the runtime, three closures.
 * Limits: Node's timers count from the beginning of a turn of the event loop, and may be early by that.
 * Bet: Node's lists of timers by length make a timeout so cheap that the controller costs more.
 * Source: the documentation of AbortController.
 */
export default {
  summary: "oracle: an AbortController and a setTimeout that is cleared",
  source: "MDN AbortController",
  progress: "wait-free",
  clock: "given",
  cancels: true,
  lateness: () => 0,

  create(loop = runtimeLoop()): Deadlines {
    return overTimers<NativeTimer>({
      start(fire, delayMs) {
        const timer = loop.setTimeout(fire, delayMs);
        timer.unref();
        return timer;
      },
      stop: (timer) => loop.clearTimeout(timer),
    });
  },
} satisfies DeadlinesCompetitor;
