import { allocateRegion, STRIDE_WORDS } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import type { LockCompetitor } from "./locks.contract.ts";
import { futexIn, type LocksCode, locksCode, ticketIn } from "./parts/wasm.ts";

const TEXT = import.meta.resolve("./parts/locks.wat");

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;
/** Of the ticket lock. */
const NEXT = 0;
const SERVING = NEXT + STRIDE_WORDS;
const POLLS = 100;

const never = allocateRegion(1);

function pause(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}

/**
 * A pause in one of fifty calls, in a window that is an instruction wide: it holds the window open, as preemption would. The
 * step model finds these faults without.
 */
function pausingAtTimes(ms: number): () => void {
  let calls = 0;
  return () => {
    if (++calls % 50 === 0) pause(ms);
  };
}

const TABLE: Mutants<LockCompetitor> = {
  ...writtenIn<LockCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Claims that the lock is free once its holder was terminated, and knows nothing of holders. */
  "claims-to-outlive": like("test-and-test-and-set", "deadHolderIsAsClaimed", () => ({
    deadHolder: "releases",
  })),
  /**
   * Takes its ticket by load and store instead of one add, so that two may hold the same. It goes in when its
   * ticket is being served or has been, and counts releases by add: a mutant that were right in these would be stuck before
   * anybody had company.
   */
  "same-ticket-twice": like("ticket", "mutualExclusion", (honest) => ({
    attach(memory, worker) {
      const pauseAtTimes = pausingAtTimes(0.1);
      const isServed = (ticket: number) => ((Atomics.load(memory, SERVING) - ticket) | 0) >= 0;
      return {
        ...honest.attach(memory, worker),
        lock() {
          const mine = Atomics.load(memory, NEXT);
          pauseAtTimes();
          Atomics.store(memory, NEXT, (mine + 1) | 0);
          while (!isServed(mine)) pause(0.1);
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
  })),
  /**
   * Tests whether the lock is free and then stores "taken", instead of exchanging it. Two that test at once both
   * have it.
   */
  "sets-after-test": like("test-and-test-and-set", "mutualExclusion", (honest) => ({
    attach(memory, worker) {
      const pauseAtTimes = pausingAtTimes(1);
      return {
        ...honest.attach(memory, worker),
        lock() {
          while (Atomics.load(memory, STATE) !== FREE);
          pauseAtTimes();
          Atomics.store(memory, STATE, TAKEN);
        },
      };
    },
  })),
  /**
   * Looks for sleepers and frees the lock in two steps. A worker that announces itself in between is overwritten, and sleeps
   * on a free lock.
   */
  "splits-unlock": like("futex-three-state", "waitersAreWoken", (honest) => ({
    attach(memory, worker) {
      const pauseAtTimes = pausingAtTimes(1);
      return {
        ...honest.attach(memory, worker),
        unlock() {
          const state = Atomics.load(memory, STATE);
          pauseAtTimes();
          Atomics.store(memory, STATE, FREE);
          if (state === TAKEN_WITH_SLEEPERS) Atomics.notify(memory, STATE, 1);
        },
      };
    },
  })),
  /** Takes being woken, or not having slept at all, for having the lock. Another may have taken it meanwhile. */
  "two-state-no-recheck": like("futex-three-state", "mutualExclusion", (honest) => ({
    attach(memory, worker) {
      return {
        ...honest.attach(memory, worker),
        lock() {
          if (Atomics.exchange(memory, STATE, TAKEN) !== FREE) Atomics.wait(memory, STATE, TAKEN);
        },
        unlock() {
          Atomics.store(memory, STATE, FREE);
          Atomics.notify(memory, STATE, 1);
        },
      };
    },
  })),
  /**
   * A woken worker polls until the lock is free and takes it as plain "taken". The others that slept beside it are
   * forgotten: its release finds nobody to wake.
   */
  "wakes-as-alone": like("spin-100-then-park", "waitersAreWoken", (honest) => ({
    attach(memory, worker) {
      return {
        ...honest.attach(memory, worker),
        lock() {
          for (let polls = 0; polls < POLLS && Atomics.load(memory, STATE) === TAKEN; polls++);
          if (Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE) return;
          if (Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) === FREE) return;
          Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS);
          while (Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== FREE);
        },
      };
    },
  })),
  /** A ticket lock in WebAssembly that lets the next in line in, too. */
  "wasm-lets-the-next-in": like("wasm-ticket", "mutualExclusion", async () => {
    const faulty = await mutatedCode<LocksCode>(TEXT, [
      [
        "(if (i32.eq (local.get $serving) (local.get $mine))",
        "(if (i32.ge_s (i32.add (local.get $serving) (i32.const 1)) (local.get $mine))",
      ],
    ]);
    return { attach: (memory, _worker, linear) => ticketIn(locksCode(memory, linear, faulty)) };
  }),
  /** An unlock in WebAssembly that notifies none of the sleepers. A worker that went to sleep stays asleep. */
  "wasm-wakes-nobody": like("wasm-futex-three-state", "waitersAreWoken", async () => {
    const faulty = await mutatedCode<LocksCode>(TEXT, [
      [
        "(memory.atomic.notify (global.get $base) (i32.const 1))",
        "(memory.atomic.notify (global.get $base) (i32.const 0))",
      ],
    ]);
    return { attach: (memory, _worker, linear) => futexIn(locksCode(memory, linear, faulty), memory) };
  }),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
