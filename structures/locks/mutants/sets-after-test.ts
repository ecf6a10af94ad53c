import { allocateRegion } from "../../shared/layout.ts";
import honest from "../competitors/test-and-test-and-set.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: tests whether the lock is free and then stores "taken", instead of exchanging it. Two that test at once both
 * have it.
 *
 * The window is an instruction wide, so now and then a pause holds it open, as preemption would; the step model finds
 * the fault without the pause.
 */
export const breaks = "mutualExclusion";

export default {
  ...honest,
  summary: "mutant: spin lock that tests and sets in two steps",

  attach(memory): Lock {
    const never = allocateRegion(1);
    let locks = 0;
    return {
      ...honest.attach(memory),
      lock() {
        while (Atomics.load(memory, STATE) !== FREE);
        if (++locks % LOCKS_PER_PAUSE === 0) Atomics.wait(never, 0, 0, PAUSE_MS);
        Atomics.store(memory, STATE, TAKEN);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const LOCKS_PER_PAUSE = 50;
const PAUSE_MS = 1;
