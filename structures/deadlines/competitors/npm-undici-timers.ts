import type { NativeTimer } from "../../timers/parts/callbacks.ts";
import { transplant } from "../../timers/parts/transplant.ts";
import type { Deadlines, DeadlinesCompetitor } from "../deadlines.contract.ts";
import { overTimers } from "../parts/over-timers.ts";
import { runtimeLoop } from "../parts/runtime-loop.ts";

/**
 * undici's own timers, the ones behind its timeouts: above a second one list for all, which is scanned each half second.
 *
 * Promise: that of the contract; above a second up to 997 ms late. The package counts a delay from its last scan. So each
 *   delay asked of it is longer by the distance between two scans.
 * Progress: wait-free.
 * Threads: one.
 * Cost: an object is appended; to cancel is a store. Each scan visits all that are pending. Up to a second: a native timer.
 * Memory: a controller, a timer object, three closures. A cancelled one keeps its object until the next scan.
 * Limits: the package has one list for each thread. Here each `create` runs a copy of its file.
 * Bet: cheapest to make and to cancel, and the scans cost little as long as few are pending.
 * Source: npm undici 7.30.2, lib/util/timers.js.
 */
export default {
  summary: "an AbortController and a timer of undici's: one list, scanned each half second",
  source: "npm undici",
  progress: "wait-free",
  clock: "given",
  cancels: true,
  lateness: (delayMs) => (delayMs <= LONGEST_NATIVE_MS ? 0 : 2 * SCAN_MS - 1),

  create(loop = runtimeLoop()): Deadlines {
    const fast = transplant("undici/lib/util/timers.js", {
      setTimeout(fire: (argument: unknown) => void, delayMs: number, argument: unknown) {
        const timer = loop.setTimeout(() => fire(argument), delayMs);
        timer.unref();
        return timer;
      },
      clearTimeout: (timer: NativeTimer | undefined) => {
        if (timer !== undefined) loop.clearTimeout(timer);
      },
    }) as UndiciTimers;
    return overTimers({
      start: (fire, delayMs) =>
        fast.setTimeout(fire, delayMs <= LONGEST_NATIVE_MS ? delayMs : delayMs + SCAN_MS),
      stop: (timer) => fast.clearTimeout(timer),
    });
  },
} satisfies DeadlinesCompetitor;

/** From one scan to the next, in ms. */
const SCAN_MS = 499;
/** The longest delay for which the package takes a native timer. */
const LONGEST_NATIVE_MS = 1_000;

/** What this file uses of lib/util/timers.js, which has no types. */
interface UndiciTimers {
  setTimeout(fire: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}
