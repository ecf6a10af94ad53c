/**
 * Locks as step models: every interleaving of a few threads that each take and release the lock a few times, one
 * atomic access at a time. Real threads meet the rare interleavings by luck; this meets them all.
 *
 * Memory is sequentially consistent, as it is for Atomics. `wait` compares and goes to sleep in one step, and `notify`
 * wakes the one that has slept longest, as ECMAScript orders it (25.4, WaiterList).
 */
export interface LockModel {
  readonly lock: readonly Step[];
  readonly unlock: readonly Step[];
}

/** One atomic access to the lock's word. Returns the index of the step to go on with, or DONE. */
export type Step = (word: Word) => number;
export const DONE = -1;

/** The shared word, as the thread whose turn it is may use it. */
export interface Word {
  load(): number;
  store(value: number): void;
  /** Returns the old value, as do the next two. */
  exchange(value: number): number;
  compareExchange(expected: number, value: number): number;
  sub(value: number): number;
  /** Sleeps if the word holds `expected`; goes on with the returned step when woken. */
  wait(expected: number): void;
  /** Wakes one sleeper. */
  notify(): void;
}

/** What an exploration found. An honest lock has no crowded and no doomed states. */
export interface Exploration {
  readonly states: number;
  /** States in which two or more threads are inside. */
  readonly crowded: number;
  /** States from which no schedule lets every thread finish: deadlocks, and all that leads nowhere else. */
  readonly doomed: number;
}

/** What a thread is in the middle of. */
const LOCKING = 0;
const INSIDE = 1;
const UNLOCKING = 2;
const FINISHED = 3;

interface State {
  word: number;
  /** Threads asleep on the word, in the order of going to sleep. */
  readonly asleep: number[];
  readonly threads: { doing: number; step: number; roundsLeft: number }[];
}

/** Visits every state that `threads` threads of `rounds` rounds each can reach. */
export function explore(model: LockModel, threads: number, rounds: number): Exploration {
  const first: State = {
    word: 0,
    asleep: [],
    threads: Array.from({ length: threads }, () => ({ doing: LOCKING, step: 0, roundsLeft: rounds })),
  };
  const statesBefore = new Map<string, string[]>([[keyOf(first), []]]);
  const ends: string[] = [];
  let crowded = 0;
  const open = [first];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = keyOf(state);
    if (state.threads.filter(({ doing }) => doing === INSIDE).length > 1) crowded++;
    if (state.threads.every(({ doing }) => doing === FINISHED)) ends.push(key);
    for (const next of successors(model, state)) {
      const nextKey = keyOf(next);
      const known = statesBefore.get(nextKey);
      if (known === undefined) {
        statesBefore.set(nextKey, [key]);
        open.push(next);
      } else known.push(key);
    }
  }
  return { states: statesBefore.size, crowded, doomed: statesBefore.size - reaching(ends, statesBefore) };
}

function* successors(model: LockModel, state: State): Generator<State> {
  for (const thread of state.threads.keys()) {
    if (state.threads[thread]!.doing === FINISHED || state.asleep.includes(thread)) continue;
    const next = structuredClone(state);
    advance(model, next, thread);
    yield next;
  }
}

/** Lets one thread make its next step. Being inside is a step of its own, so that others can be seen there too. */
function advance(model: LockModel, state: State, index: number): void {
  const thread = state.threads[index]!;
  if (thread.doing === INSIDE) {
    thread.doing = UNLOCKING;
    return;
  }
  const steps = thread.doing === LOCKING ? model.lock : model.unlock;
  const following = steps[thread.step]!(wordOf(state, index));
  thread.step = following === DONE ? 0 : following;
  if (following !== DONE) return;
  if (thread.doing === UNLOCKING) thread.roundsLeft--;
  thread.doing = thread.doing === LOCKING ? INSIDE : thread.roundsLeft === 0 ? FINISHED : LOCKING;
}

function wordOf(state: State, thread: number): Word {
  const change = (value: number) => {
    const old = state.word;
    state.word = value;
    return old;
  };
  return {
    load: () => state.word,
    store: change,
    exchange: change,
    compareExchange: (expected, value) => (state.word === expected ? change(value) : state.word),
    sub: (value) => change(state.word - value),
    wait(expected) {
      if (state.word === expected) state.asleep.push(thread);
    },
    notify() {
      state.asleep.shift();
    },
  };
}

/** How many states can reach one of `ends`, those included. */
function reaching(ends: readonly string[], statesBefore: ReadonlyMap<string, readonly string[]>): number {
  const reached = new Set(ends);
  for (const key of reached) for (const before of statesBefore.get(key)!) reached.add(before);
  return reached.size;
}

function keyOf({ word, asleep, threads }: State): string {
  return `${word};${asleep};${threads.map(({ doing, step, roundsLeft }) => `${doing}.${step}.${roundsLeft}`)}`;
}

const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;

const futex: LockModel = {
  lock: [
    (word) => (word.compareExchange(FREE, TAKEN) === FREE ? DONE : 1),
    (word) => (word.exchange(TAKEN_WITH_SLEEPERS) === FREE ? DONE : 2),
    (word) => {
      word.wait(TAKEN_WITH_SLEEPERS);
      return 1;
    },
  ],
  unlock: [
    (word) => (word.exchange(FREE) === TAKEN_WITH_SLEEPERS ? 1 : DONE),
    (word) => {
      word.notify();
      return DONE;
    },
  ],
};

/** Blocking competitors without a model, by the name of their file, each with the reason why it needs none. */
export const unmodelled: Readonly<Record<string, string>> = {};

/** The competitors and liars that were modelled, by the name of their file; each a transcription of it. */
export const models: Readonly<Record<string, LockModel>> = {
  "futex-three-state": futex,

  "test-and-set": {
    lock: [(word) => (word.exchange(TAKEN) === FREE ? DONE : 0)],
    unlock: [
      (word) => {
        word.store(FREE);
        return DONE;
      },
    ],
  },

  "never-notifies": {
    lock: futex.lock,
    unlock: [
      (word) => {
        word.store(FREE);
        return DONE;
      },
    ],
  },

  // Without the pause that its file needs to be caught by real threads.
  "notify-before-store": {
    lock: futex.lock,
    unlock: [
      (word) => (word.load() === TAKEN_WITH_SLEEPERS ? 1 : 2),
      (word) => {
        word.notify();
        return 2;
      },
      (word) => {
        word.store(FREE);
        return DONE;
      },
    ],
  },

  // Without its pause, as above. The second step knows that the first saw nobody, the third that it saw sleepers.
  "splits-unlock": {
    lock: futex.lock,
    unlock: [
      (word) => (word.load() === TAKEN_WITH_SLEEPERS ? 2 : 1),
      (word) => {
        word.store(FREE);
        return DONE;
      },
      (word) => {
        word.store(FREE);
        return 3;
      },
      (word) => {
        word.notify();
        return DONE;
      },
    ],
  },

  "forgets-to-free": {
    lock: futex.lock,
    unlock: [
      (word) => (word.sub(1) === TAKEN ? DONE : 1),
      (word) => {
        word.notify();
        return DONE;
      },
    ],
  },

  "two-state-no-recheck": {
    lock: [
      (word) => (word.exchange(TAKEN) === FREE ? DONE : 1),
      (word) => {
        word.wait(TAKEN);
        return DONE;
      },
    ],
    unlock: [
      (word) => {
        word.store(FREE);
        return 1;
      },
      (word) => {
        word.notify();
        return DONE;
      },
    ],
  },
};
