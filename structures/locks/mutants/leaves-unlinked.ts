import { allocateRegion, STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/mcs-spin-then-park.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: an unlock that finds nobody linked and somebody at the tail, and leaves, where it should wait for the link.
 * Who had announced itself and not yet linked waits for ever, and all that come later wait behind it.
 *
 * The window is two instructions wide, so a pause holds it open, as preemption would: the first time that a worker waits,
 * because on a busy machine it may not wait often, and now and then after that. The step model finds the fault without.
 */
export const breaks = "everyWorkerFinishes";

export default {
  ...honest,
  summary: "mutant: MCS lock whose unlock does not wait for a successor to link itself",

  attach(memory, seat): Lock {
    const node = seat.index + 1;
    const never = allocateRegion(1);
    let locks = 0;
    return {
      ...honest.attach(memory, seat),
      lock() {
        Atomics.store(memory, nextOf(node), NONE);
        const before = Atomics.exchange(memory, TAIL, node);
        if (before === NONE) return;
        Atomics.store(memory, flagOf(node), ASLEEP);
        if (locks++ % LOCKS_PER_PAUSE === 0) Atomics.wait(never, 0, 0, PAUSE_MS);
        Atomics.store(memory, nextOf(before), node);
        while (Atomics.load(memory, flagOf(node)) !== GRANTED) Atomics.wait(memory, flagOf(node), ASLEEP);
      },
      unlock() {
        const after = Atomics.load(memory, nextOf(node));
        if (after === NONE) {
          Atomics.compareExchange(memory, TAIL, node, NONE);
          return;
        }
        Atomics.store(memory, flagOf(after), GRANTED);
        Atomics.notify(memory, flagOf(after), 1);
      },
    };
  },
} satisfies LockCompetitor;

const TAIL = 0;
const NONE = 0;
const flagOf = (node: number) => node * STRIDE_WORDS;
const nextOf = (node: number) => node * STRIDE_WORDS + 1;
const GRANTED = 0;
const ASLEEP = 2;
const LOCKS_PER_PAUSE = 10;
const PAUSE_MS = 1;
