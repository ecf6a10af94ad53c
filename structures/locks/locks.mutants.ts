import { allocateRegion, STRIDE_WORDS } from "../shared/layout.ts";
import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn } from "../shared/mutants.ts";
import { pausing } from "../shared/mutated.ts";
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
  /** Claims that the lock is free once its holder was terminated, and knows nothing of holders. */
  "claims-to-outlive": like("test-and-test-and-set", "deadHolderIsAsClaimed", () => ({
    deadHolder: "releases",
  })),
  /**
   * Drepper's own unlock, a decrement, without the store of 0 that must follow where there were sleepers. The
   * woken worker and all others find the lock taken, by nobody.
   */
  "forgets-to-free": planted("futex-three-state", "everyWorkerFinishes", [
    "Atomics.exchange(memory, STATE, FREE)",
    "Atomics.sub(memory, STATE, 1)",
  ]),
  /**
   * Waits with a time limit and goes in when it has passed, with another worker inside. Its unlock does not look whether
   * the lock is free, which would end the second of two holders before anything is counted.
   */
  "gives-up": planted(
    "futex-three-state",
    "acquisitionsAreConserved",
    [
      'if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS) !== "not-equal") parks++;',
      'if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS, 0.1) === "timed-out") return;',
    ],
    ["if (was === FREE) throw unlockedFree();", ""],
  ),
  /**
   * An unlock that finds nobody linked and somebody at the tail, and leaves, where it should wait for the link.
   * A worker that had announced itself and not yet linked waits for ever, and all later ones wait behind it.
   *
   * The window is two instructions wide, so a pause holds it open, as preemption would. The step model finds the fault
   * without.
   */
  "leaves-unlinked": planted(
    "mcs-spin-then-park",
    "everyWorkerFinishes",
    ["after = awaitNext();", "return;"],
    [
      "Atomics.store(memory, nextOf(before), node);",
      `${pausing(1)} Atomics.store(memory, nextOf(before), node);`,
    ],
  ),
  /** An unlock that forgets what state 2 is for. A worker that went to sleep stays asleep. */
  "never-notifies": planted("futex-three-state", "waitersAreWoken", [
    "Atomics.notify(memory, STATE, 1)",
    "return",
  ]),
  /**
   * Wakes a sleeper first and frees the lock afterwards. The woken worker finds it taken and sleeps again, and the
   * store that follows wakes nobody.
   *
   * The two are a few instructions apart, and a worker needs longer to wake up, so they go wrong when the one that
   * unlocks is taken off its core in between. The pause is that preemption, without waiting for it; the step model finds
   * the fault without the pause.
   */
  "notify-before-store": planted(
    "futex-three-state",
    "waitersAreWoken",
    ["Atomics.exchange(memory, STATE, FREE)", "Atomics.load(memory, STATE)"],
    ["if (was === TAKEN) return;", "if (was === TAKEN) return Atomics.store(memory, STATE, FREE);"],
    [
      "Atomics.notify(memory, STATE, 1);",
      `Atomics.notify(memory, STATE, 1); ${pausing(1)} Atomics.store(memory, STATE, FREE);`,
    ],
  ),
  /** An unlock that does not look whether the data were marked consistent. The next holder is not told. */
  "passes-on-inconsistent-data": planted("robust-futex", "inconsistentDataAreNotPassedOn", [
    "(found & OWNER_DIED) === 0 ? FREE : UNUSABLE",
    "FREE",
  ]),
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
  /** Frees the lock of a dead holder as if it had been unlocked. The next takes halfway changes for whole ones. */
  "tells-nobody": plantedIn("shared/holder-words.ts", "robust-futex", "ownerDeathIsToldOnce", [
    "(state & ~HOLDER) | OWNER_DIED",
    "0",
  ]),
  /** A tryLock by exchange. It answers truly, but writes 1 over the 2 that asks the holder to wake somebody. */
  "try-erases-sleepers": planted("futex-three-state", "waitersAreWoken", [
    "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN)",
    "tryLock: () => Atomics.exchange(memory, STATE, TAKEN)",
  ]),
  /**
   * A tryLock left over from a lock of two states, for which "not 1" is "free". It walks in on state 2. Its unlock
   * does not look whether the lock is free, which would end the second of two holders before anything is counted.
   */
  "try-knows-two-states": planted(
    "futex-three-state",
    "tryLockIsTrue",
    [
      "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE",
      "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== TAKEN",
    ],
    ["if (was === FREE) throw unlockedFree();", ""],
  ),
  /** A tryLock that says whether the lock is free and does not take it. */
  "try-only-looks": planted("test-and-set", "tryLockIsTrue", [
    "tryLock: () => Atomics.exchange(memory, STATE, TAKEN) === FREE",
    "tryLock: () => Atomics.load(memory, STATE) === FREE",
  ]),
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
