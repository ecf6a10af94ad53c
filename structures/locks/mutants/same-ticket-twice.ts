import { allocateRegion, STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/ticket.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: takes its ticket by load and store instead of one add, so that two may hold the same. It goes in when its
 * ticket is being served or has been, and counts releases by add: a mutant that were right in these would be stuck before
 * anybody had company.
 *
 * The window is an instruction wide, so now and then a pause holds it open, as preemption would; the step model finds
 * the fault without the pause.
 */
export const breaks = "mutualExclusion";

export default {
  ...honest,
  summary: "mutant: ticket lock that takes a ticket in two steps",

  attach(memory): Lock {
    const never = allocateRegion(1);
    let locks = 0;
    const isServed = (ticket: number) => ((Atomics.load(memory, SERVING) - ticket) | 0) >= 0;
    return {
      ...honest.attach(memory),
      lock() {
        const mine = Atomics.load(memory, NEXT);
        if (++locks % LOCKS_PER_PAUSE === 0) Atomics.wait(never, 0, 0, PAUSE_MS);
        Atomics.store(memory, NEXT, (mine + 1) | 0);
        while (!isServed(mine)) Atomics.wait(never, 0, 0, PAUSE_MS);
      },
      tryLock() {
        const mine = Atomics.load(memory, NEXT);
        if (!isServed(mine)) return false;
        Atomics.store(memory, NEXT, (mine + 1) | 0);
        return true;
      },
      unlock() {
        Atomics.add(memory, SERVING, 1);
      },
    };
  },
} satisfies LockCompetitor;

const NEXT = 0;
const SERVING = NEXT + STRIDE_WORDS;
const LOCKS_PER_PAUSE = 50;
const PAUSE_MS = 0.1;
