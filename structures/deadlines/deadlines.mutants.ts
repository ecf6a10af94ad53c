import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import type { DeadlinesCompetitor } from "./deadlines.contract.ts";

const ORACLE = "abort-controller-set-timeout";

const TABLE: Mutants<DeadlinesCompetitor> = {
  ...writtenIn<DeadlinesCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
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
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
