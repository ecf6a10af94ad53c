import { type Cpu, DONE, explore, type Step } from "../shared/explorer.ts";

/**
 * Locks as step models: every interleaving of a few threads that each take and release the lock a few times, one
 * atomic access at a time. The explorer's header says what memory and waiting are in a model.
 *
 * A model is a transcription of its file. Polls by plain loads are steps that go on in every way a stale value could
 * send them, so that a model covers any number of polls.
 */
export interface LockModel {
  /** What the words hold once formatted, for a crew of `threads`. */
  words(threads: number): readonly number[];
  /** Registers that the steps use, each 0 again when the lock is free; none if absent. */
  readonly registers?: number;
  readonly lock: readonly Step[];
  readonly unlock: readonly Step[];
  /** Ends in DONE where it took the lock and in REFUSED where it did not. */
  readonly tryLock: readonly Step[];
}

/** The other end of a `tryLock`. */
const REFUSED = -2;

/** What an exploration found. An honest lock has no crowded and no doomed states. */
export interface LockExploration {
  readonly states: number;
  /** States in which two or more threads are inside. */
  readonly crowded: number;
  /** States from which no schedule lets every thread finish. */
  readonly doomed: number;
}

/**
 * Visits every state that `lockers` threads, and `triers` that only try, can reach in `rounds` rounds each. Lockers that
 * are `greedy` try once more while they hold the lock, and never finish if they get it.
 */
export function exploreLock(
  model: LockModel,
  { lockers, triers = 0, rounds, greedy = false }: Crew,
): LockExploration {
  const locker = program(model.lock, model.unlock, rounds, greedy ? model.tryLock : undefined);
  const trier = program(model.tryLock, model.unlock, rounds);
  const threads = Array.from({ length: lockers + triers }, (_, index) => (index < lockers ? locker : trier));
  let crowded = 0;
  const { states, doomed } = explore(
    {
      words: model.words(threads.length),
      threads: threads.map(({ steps }) => steps),
      registers: model.registers ?? 0,
    },
    {
      state(seen) {
        const inside = seen.threads.filter(({ step }, index) => threads[index]!.inside.has(step));
        if (inside.length > 1) crowded++;
      },
    },
  );
  return { states, crowded, doomed };
}

export interface Crew {
  readonly lockers: number;
  readonly triers?: number;
  readonly rounds: number;
  readonly greedy?: boolean;
}

/**
 * `rounds` times: take the lock, be inside, `retry` if told, release it; or, where it is refused, go on. Being inside is
 * a step of its own, so that others can be seen there too.
 */
function program(
  take: readonly Step[],
  release: readonly Step[],
  rounds: number,
  retry: readonly Step[] = [],
) {
  const steps: Step[] = [];
  const inside = new Set<number>();
  for (let round = 1; round <= rounds; round++) {
    const taken = steps.length + take.length;
    const retrying = taken + 1;
    /** Goes nowhere: for whoever takes what it has. */
    const stuck = retrying + retry.length;
    const releasing = stuck + 1;
    const following = round === rounds ? DONE : releasing + release.length;
    inside.add(taken);
    steps.push(
      ...moved(take, steps.length, { done: taken, refused: following }),
      () => (retry.length > 0 ? retrying : releasing),
      ...moved(retry, retrying, { done: stuck, refused: releasing }),
      () => stuck,
      ...moved(release, releasing, { done: following, refused: following }),
    );
  }
  return { steps, inside };
}

/** The same steps, begun at `start` of a longer program, and what follows them. */
function moved(steps: readonly Step[], start: number, ends: { done: number; refused: number }): Step[] {
  const there = (next: number) => {
    if (next === DONE) return ends.done;
    return next === REFUSED ? ends.refused : start + next;
  };
  return steps.map(
    (step): Step =>
      (cpu) => {
        const next = step(cpu);
        return typeof next === "number" ? there(next) : next.map(there);
      },
  );
}

/** Makes the access and goes on with `next`, whatever it saw. */
const then =
  (next: number, access: (cpu: Cpu) => void): Step =>
  (cpu) => {
    access(cpu);
    return next;
  };

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;

const store =
  (value: number) =>
  (cpu: Cpu): void =>
    cpu.store(STATE, value);
const wake = (cpu: Cpu): void => cpu.notify(STATE, 1);

const testAndSet: LockModel = {
  words: () => [FREE],
  lock: [(cpu) => (cpu.exchange(STATE, TAKEN) === FREE ? DONE : 0)],
  unlock: [then(DONE, store(FREE))],
  tryLock: [(cpu) => (cpu.exchange(STATE, TAKEN) === FREE ? DONE : REFUSED)],
};

const futex: LockModel = {
  words: () => [FREE],
  lock: [
    (cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === FREE ? DONE : 1),
    (cpu) => (cpu.exchange(STATE, TAKEN_WITH_SLEEPERS) === FREE ? DONE : 2),
    then(1, (cpu) => cpu.wait(STATE, TAKEN_WITH_SLEEPERS)),
  ],
  unlock: [(cpu) => (cpu.exchange(STATE, FREE) === TAKEN_WITH_SLEEPERS ? 1 : DONE), then(DONE, wake)],
  tryLock: [(cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === FREE ? DONE : REFUSED)],
};

/** What follows a spell of polls: 1 where the last one saw the lock free, 2 taken, 3 taken with sleepers. */
const spinThenPark: LockModel = {
  ...futex,
  lock: [
    (cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === FREE ? DONE : 4),
    (cpu) => {
      const state = cpu.compareExchange(STATE, FREE, TAKEN);
      if (state === FREE) return DONE;
      return state === TAKEN ? 2 : 3;
    },
    (cpu) => (cpu.exchange(STATE, TAKEN_WITH_SLEEPERS) === FREE ? DONE : 3),
    then(5, (cpu) => cpu.wait(STATE, TAKEN_WITH_SLEEPERS)),
    () => [1, 2, 3],
    // After a sleep, a lock seen free is taken as one seen taken is: by the exchange that announces sleepers.
    () => [2, 3],
  ],
};

const NEXT = 0;
const SERVING = 1;
/** Two tickets before the numbers turn negative. */
const FIRST_TICKET = 2 ** 31 - 2;
/** Register: the ticket, or what is being served. */
const TICKET = 0;

const ticket: LockModel = {
  words: () => [FIRST_TICKET, FIRST_TICKET],
  registers: 1,
  lock: [
    then(1, (cpu) => {
      cpu.registers[TICKET] = cpu.add(NEXT, 1);
    }),
    (cpu) => {
      if (cpu.load(SERVING) !== cpu.registers[TICKET]) return 1;
      cpu.registers[TICKET] = 0;
      return DONE;
    },
  ],
  unlock: [
    then(1, (cpu) => {
      cpu.registers[TICKET] = cpu.load(SERVING);
    }),
    then(DONE, (cpu) => {
      cpu.store(SERVING, cpu.registers[TICKET]! + 1);
      cpu.registers[TICKET] = 0;
    }),
  ],
  tryLock: [
    then(1, (cpu) => {
      cpu.registers[TICKET] = cpu.load(SERVING);
    }),
    (cpu) => {
      const serving = cpu.registers[TICKET]!;
      cpu.registers[TICKET] = 0;
      return cpu.compareExchange(NEXT, serving, serving + 1) === serving ? DONE : REFUSED;
    },
  ],
};

const TAIL = 0;
const NONE = 0;
const GRANTED = 0;
const WAITING = 1;
const ASLEEP = 2;
const nodeOf = ({ thread }: Cpu) => thread + 1;
const flagOf = (node: number) => 2 * node - 1;
const nextOf = (node: number) => 2 * node;
/** Register: the node before or after in the queue. */
const OTHER = 0;

const clearNext = (cpu: Cpu): void => cpu.store(nextOf(nodeOf(cpu)), NONE);

const mcs: LockModel = {
  words: (threads) => new Array(1 + 2 * threads).fill(0),
  registers: 1,
  lock: [
    then(1, clearNext),
    (cpu) => {
      cpu.registers[OTHER] = cpu.exchange(TAIL, nodeOf(cpu));
      return cpu.registers[OTHER] === NONE ? DONE : 2;
    },
    then(3, (cpu) => cpu.store(flagOf(nodeOf(cpu)), WAITING)),
    then(4, (cpu) => {
      cpu.store(nextOf(cpu.registers[OTHER]!), nodeOf(cpu));
      cpu.registers[OTHER] = 0;
    }),
    // The polls saw the grant, which an atomic load then confirms, or were in vain.
    () => [5, 6],
    (cpu) => (cpu.load(flagOf(nodeOf(cpu))) === GRANTED ? DONE : 6),
    (cpu) => (cpu.compareExchange(flagOf(nodeOf(cpu)), WAITING, ASLEEP) === GRANTED ? DONE : 7),
    then(8, (cpu) => cpu.wait(flagOf(nodeOf(cpu)), ASLEEP)),
    (cpu) => (cpu.load(flagOf(nodeOf(cpu))) === GRANTED ? DONE : 7),
  ],
  unlock: [
    (cpu) => {
      cpu.registers[OTHER] = cpu.load(nextOf(nodeOf(cpu)));
      return cpu.registers[OTHER] === NONE ? 1 : 3;
    },
    (cpu) => (cpu.compareExchange(TAIL, nodeOf(cpu), NONE) === nodeOf(cpu) ? DONE : 2),
    (cpu) => {
      cpu.registers[OTHER] = cpu.load(nextOf(nodeOf(cpu)));
      return cpu.registers[OTHER] === NONE ? 2 : 3;
    },
    (cpu) => {
      if (cpu.exchange(flagOf(cpu.registers[OTHER]!), GRANTED) === ASLEEP) return 4;
      cpu.registers[OTHER] = 0;
      return DONE;
    },
    then(DONE, (cpu) => {
      cpu.notify(flagOf(cpu.registers[OTHER]!), 1);
      cpu.registers[OTHER] = 0;
    }),
  ],
  tryLock: [
    (cpu) => (cpu.load(TAIL) === NONE ? 1 : REFUSED),
    then(2, clearNext),
    (cpu) => (cpu.compareExchange(TAIL, NONE, nodeOf(cpu)) === NONE ? DONE : REFUSED),
  ],
};

/** The grant is a store, and who waits for it polls. */
const mcsSpinning: LockModel = {
  ...mcs,
  lock: [...mcs.lock.slice(0, 4), (cpu) => (cpu.load(flagOf(nodeOf(cpu))) === GRANTED ? DONE : 4)],
  unlock: [
    ...mcs.unlock.slice(0, 3),
    then(DONE, (cpu) => {
      cpu.store(flagOf(cpu.registers[OTHER]!), GRANTED);
      cpu.registers[OTHER] = 0;
    }),
  ],
};

/** How the mutant among the ticket locks waits: for its ticket or any later one to be served. */
const isServed = (cpu: Cpu) => ((cpu.load(SERVING) - cpu.registers[TICKET]!) | 0) >= 0;

/** Blocking competitors without a model, by the name of their file, each with the reason why it needs none. */
export const unmodelled: Readonly<Record<string, string>> = {
  "v8-atomics-mutex": "its accesses are V8's own, in C++",
};

/** The competitors and mutants that were modelled, by the name of their file; each a transcription of it. */
export const models: Readonly<Record<string, LockModel>> = {
  "futex-three-state": futex,
  "mcs-spin-then-park": mcs,
  "mcs-spinning": mcsSpinning,
  "spin-10-then-park": spinThenPark,
  "spin-100-then-park": spinThenPark,
  "spin-1000-then-park": spinThenPark,
  "test-and-set": testAndSet,
  // Whatever the polls see, the exchange comes next.
  "test-and-test-and-set": testAndSet,
  ticket,

  "never-notifies": { ...futex, unlock: [then(DONE, store(FREE))] },

  // Without the pause that its file needs to be caught by real threads, as are those below.
  "notify-before-store": {
    ...futex,
    unlock: [
      (cpu) => (cpu.load(STATE) === TAKEN_WITH_SLEEPERS ? 1 : 2),
      then(2, wake),
      then(DONE, store(FREE)),
    ],
  },

  // The second step knows that the first saw nobody, the third that it saw sleepers.
  "splits-unlock": {
    ...futex,
    unlock: [
      (cpu) => (cpu.load(STATE) === TAKEN_WITH_SLEEPERS ? 2 : 1),
      then(DONE, store(FREE)),
      then(3, store(FREE)),
      then(DONE, wake),
    ],
  },

  "forgets-to-free": {
    ...futex,
    unlock: [(cpu) => (cpu.sub(STATE, 1) === TAKEN ? DONE : 1), then(DONE, wake)],
  },

  "two-state-no-recheck": {
    ...futex,
    lock: [
      (cpu) => (cpu.exchange(STATE, TAKEN) === FREE ? DONE : 1),
      then(DONE, (cpu) => cpu.wait(STATE, TAKEN)),
    ],
    unlock: [then(1, store(FREE)), then(DONE, wake)],
  },

  "try-erases-sleepers": { ...futex, tryLock: testAndSet.tryLock },

  "try-knows-two-states": {
    ...futex,
    tryLock: [(cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === TAKEN ? REFUSED : DONE)],
  },

  "try-only-looks": { ...futex, tryLock: [(cpu) => (cpu.load(STATE) === FREE ? DONE : REFUSED)] },

  "wakes-as-alone": {
    ...futex,
    lock: [
      (cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === FREE ? DONE : 1),
      (cpu) => (cpu.exchange(STATE, TAKEN_WITH_SLEEPERS) === FREE ? DONE : 2),
      then(3, (cpu) => cpu.wait(STATE, TAKEN_WITH_SLEEPERS)),
      (cpu) => (cpu.compareExchange(STATE, FREE, TAKEN) === FREE ? DONE : 3),
    ],
  },

  "sets-after-test": {
    ...testAndSet,
    lock: [(cpu) => (cpu.load(STATE) === FREE ? 1 : 0), then(DONE, store(TAKEN))],
  },

  "same-ticket-twice": {
    ...ticket,
    lock: [
      then(1, (cpu) => {
        cpu.registers[TICKET] = cpu.load(NEXT);
      }),
      then(2, (cpu) => cpu.store(NEXT, cpu.registers[TICKET]! + 1)),
      (cpu) => (isServed(cpu) ? DONE : 2),
    ],
    tryLock: [
      then(1, (cpu) => {
        cpu.registers[TICKET] = cpu.load(NEXT);
      }),
      (cpu) => (isServed(cpu) ? 2 : REFUSED),
      then(DONE, (cpu) => cpu.store(NEXT, cpu.registers[TICKET]! + 1)),
    ],
    unlock: [then(DONE, (cpu) => cpu.add(SERVING, 1))],
  },

  "leaves-unlinked": {
    ...mcs,
    unlock: mcs.unlock.with(
      1,
      then(DONE, (cpu) => cpu.compareExchange(TAIL, nodeOf(cpu), NONE)),
    ),
  },
};
