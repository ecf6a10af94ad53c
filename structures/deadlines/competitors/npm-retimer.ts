import type retimer from "retimer";
import { transplant } from "../../timers/parts/transplant.ts";
import type { Deadlines, DeadlinesCompetitor } from "../deadlines.contract.ts";
import { overTimers } from "../parts/over-timers.ts";
import { runtimeLoop } from "../parts/runtime-loop.ts";

/**
 * The package retimer: a timer object over setTimeout that can be put off cheaply, which no deadline is.
 *
 * Promise: that of the contract.
 * Progress: wait-free; what the runtime does behind setTimeout is not counted.
 * Threads: one.
 * Cost: that of abort-controller-set-timeout, an object more, and a reading of the clock.
 * Memory: a controller, a Retimer with its closure and arguments, a Timeout of the runtime, three closures.
 * Limits: the package has no unref: here the timers that it is given are unref'd. Each `create` runs a copy of its file.
 * Bet: without a refresh it costs more than it saves.
 * Source: npm retimer 4.0.0 (M. Collina).
 */
export default {
  summary: "an AbortController and a timer of retimer",
  source: "npm retimer",
  variantOf: "abort-controller-set-timeout",
  progress: "wait-free",
  clock: "given",
  cancels: true,
  lateness: () => 0,

  create(loop = runtimeLoop()): Deadlines {
    const timers = {
      setTimeout(fire: () => void, delayMs: number) {
        const timer = loop.setTimeout(fire, delayMs);
        timer.unref();
        return timer;
      },
      clearTimeout: loop.clearTimeout,
    };
    const start = transplant("retimer", {
      require: (name: string) => (name === "./time" ? loop.now : timers),
    }) as typeof retimer;
    return overTimers({ start, stop: (timer) => timer.clear() });
  },
} satisfies DeadlinesCompetitor;
