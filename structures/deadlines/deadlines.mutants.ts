import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn } from "../shared/mutants.ts";
import type { DeadlinesCompetitor } from "./deadlines.contract.ts";

const ORACLE = "abort-controller-set-timeout";
const OVER_TIMERS = "deadlines/parts/over-timers.ts";

const TABLE: Mutants<DeadlinesCompetitor> = {
  /** Takes a millisecond off. */
  "aborts-early": planted(ORACLE, "neverEarly", [
    "loop.setTimeout(fire, delayMs)",
    "loop.setTimeout(fire, Math.max(1, delayMs - 1))",
  ]),
  /** Counts from the last scan of a list of long timers, as the package does. */
  "counts-from-scan": planted("npm-undici-timers", "neverEarly", ["delayMs + SCAN_MS", "delayMs"]),
  /** Adds a millisecond. */
  "aborts-late": planted(ORACLE, "abortsInTime", [
    "loop.setTimeout(fire, delayMs)",
    "loop.setTimeout(fire, delayMs + 1)",
  ]),
  /** Claims to be on time, though it rounds up. */
  "denies-lateness": like("hashed-wheel", "abortsInTime", () => ({ lateness: () => 0 })),
  /** Does nothing to end a deadline, and does not say so. */
  "cancels-nothing": like(ORACLE, "cancelledStays", (honest) => ({
    create(loop) {
      const { make } = honest.create(loop);
      return { make: (delayMs, caller) => ({ signal: make(delayMs, caller).signal, cancel() {} }) };
    },
  })),
  /** Claims that it can be cancelled. */
  "denies-its-bonds": like("node-abort-signal-timeout", "cancelledStays", () => ({ cancels: true })),
  /** Ignores the timer of a deadline that was cancelled, instead of clearing it. */
  "keeps-timers": plantedIn(
    OVER_TIMERS,
    ORACLE,
    "leavesNothing",
    ["const end = () => {", "let isOver = false;\n      const end = () => {"],
    ["stop(timer);", "isOver = true;"],
    ["const pass = () => {", "const pass = () => {\n        if (isOver) return;"],
  ),
  /** Follows its caller, and leaves the timer until it is due. */
  "keeps-timers-of-the-gone": plantedIn(OVER_TIMERS, ORACLE, "leavesNothing", [
    "end();\n        controller.abort(caller!.reason)",
    "controller.abort(caller!.reason)",
  ]),
  /** The same, over a wheel: the timer stays live there. */
  "keeps-places-of-the-gone": plantedIn("timers/parts/node-timers.ts", "hashed-wheel", "leavesNothing", [
    "      this.cancel();\n      this.#controller.abort(reason);",
    "      this.#controller.abort(reason);",
  ]),
  /** Listens to its caller for ever. */
  "keeps-listeners": plantedIn(OVER_TIMERS, ORACLE, "leavesNothing", [
    'caller?.removeEventListener("abort", follow);',
    "",
  ]),
  /** Aborts without a reason. */
  "gives-no-reason": plantedIn(OVER_TIMERS, ORACLE, "reasonIsTimeout", [
    "controller.abort(timeoutError())",
    "controller.abort()",
  ]),
  /** Does not listen to its caller. */
  "forgets-caller": plantedIn(OVER_TIMERS, ORACLE, "followsCaller", [
    'caller?.addEventListener("abort", follow);',
    "",
  ]),
  /** Begins a deadline for a caller that has gone. */
  "serves-the-gone": plantedIn(OVER_TIMERS, ORACLE, "followsCaller", [
    "if (caller?.aborted)",
    "if (delayMs < 0 && caller?.aborted)",
  ]),
  /** Gives its own reason where the caller has one. */
  "takes-the-blame": plantedIn(OVER_TIMERS, ORACLE, "followsCaller", [
    "end();\n        controller.abort(caller!.reason)",
    "end();\n        controller.abort(timeoutError())",
  ]),
  /** Holds the process as long as a request may take. */
  "holds-the-process": planted(ORACLE, "letsProcessEnd", ["timer.unref();", ""]),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
