// The code below keeps the functions of Atomics.
import "../register.ts";
import { type Drawing, type Promised, WAITS } from "./promised.ts";

const { load, store, add, sub, exchange, compareExchange, wait, notify } = Atomics;

/** Whether the word held `old`, and so holds `value` now. */
const swapped = (words: Int32Array, at: number, old: number, value: number) =>
  compareExchange(words, at, old, value) === old;

type Classic = Omit<Promised<Int32Array, object>, "shared" | "attach"> & {
  /** Its words as threads find them. */
  readonly words: readonly number[];
  /** What a thread makes of them: as it was published, or with one fault. */
  readonly attach: (words: Int32Array, thread: number, hasFault: boolean) => object;
};

/** A count that threads add to, one at a time, under a lock: its number is the last word. */
const counter = {
  value: 0,
  count() {
    return this.value++;
  },
};

function locking(
  words: readonly number[],
  lockOf: (words: Int32Array, thread: number, hasFault: boolean) => { lock: () => void; unlock: () => void },
  threads = 2,
  calls = 2,
): Classic {
  return {
    model: counter,
    words: [...words, 0],
    attach(shared, thread, hasFault) {
      const { lock, unlock } = lockOf(shared, thread, hasFault);
      const count = () => {
        lock();
        const value = load(shared, words.length);
        store(shared, words.length, value + 1);
        unlock();
        return value;
      };
      return { count };
    },
    operations: { count: {} },
    threads,
    calls,
  };
}

/** Values that differ. */
const nth = { args: ({ nth }: Drawing) => [nth] };
const own = { args: ({ thread }: Drawing) => [thread] };

const list = (most: number, from: "shift" | "pop") => ({
  items: [] as number[],
  put(value: number) {
    return this.items.length < most && this.items.push(value) > 0;
  },
  take() {
    return this.items[from]() ?? 0;
  },
});

/** By name: ten algorithms of the literature, in as few words as show their fault. */
export const classics: Readonly<Record<string, Classic>> = {
  // Peterson, 1981. Fault: the turn is given before the wish is told.
  "Peterson's lock": locking([0, 0, 0], (words, thread, hasFault) => ({
    lock() {
      if (hasFault) store(words, 2, thread);
      store(words, thread, 1);
      if (!hasFault) store(words, 2, thread);
      while (load(words, 1 - thread) === 1 && load(words, 2) === thread);
    },
    unlock: () => store(words, thread, 0),
  })),
  // Reed & Kanodia, 1979. Fault: a ticket is read and written in two steps.
  "ticket lock": locking([0, 0], (words, _, hasFault) => ({
    lock() {
      const ticket = hasFault ? load(words, 0) : add(words, 0, 1);
      if (hasFault) store(words, 0, ticket + 1);
      while (load(words, 1) !== ticket);
    },
    unlock: () => add(words, 1, 1),
  })),
  // Drepper, Futexes Are Tricky, 2005. Fault: a woken thread takes the lock without saying that others may sleep.
  "futex mutex": locking(
    [0],
    (words, _, hasFault) => ({
      lock() {
        if (swapped(words, 0, 0, 1)) return;
        let taken = 2;
        while (exchange(words, 0, taken) !== 0) {
          wait(words, 0, 2);
          if (hasFault) taken = 1;
        }
      },
      unlock() {
        if (exchange(words, 0, 0) === 2) notify(words, 0, 1);
      },
    }),
    3,
    1,
  ),
  // Mellor-Crummey & Scott, 1991: word 0 is the tail; each thread has a flag and a successor. Fault: it does not wait for a
  // successor that is about to link itself.
  "MCS lock": locking([0, 0, 0, 0, 0], (words, thread, hasFault) => {
    const [flag, next] = [1 + 2 * thread, 2 + 2 * thread];
    return {
      lock() {
        store(words, flag, 1);
        store(words, next, 0);
        const before = exchange(words, 0, thread + 1);
        if (before === 0) return;
        store(words, 2 * before, thread + 1);
        while (load(words, flag) === 1);
      },
      unlock() {
        if (load(words, next) === 0) {
          if (hasFault) return void store(words, 0, 0);
          if (swapped(words, 0, thread + 1, 0)) return;
          while (load(words, next) === 0);
        }
        store(words, 2 * load(words, next) - 1, 0);
      },
    };
  }),
  // Dijkstra, 1965. Fault: a thread that has looked sleeps on whatever stands there by then.
  semaphore: {
    model: {
      permits: 1,
      acquire() {
        return this.permits === 0 ? WAITS : void this.permits--;
      },
      release() {
        this.permits++;
      },
    },
    words: [1],
    attach: (words, _, hasFault) => ({
      acquire() {
        for (;;) {
          const permits = load(words, 0);
          if (permits === 0) wait(words, 0, hasFault ? load(words, 0) : 0);
          else if (swapped(words, 0, permits, permits - 1)) return;
        }
      },
      release() {
        add(words, 0, 1);
        notify(words, 0, 1);
      },
    }),
    operations: { acquire: {}, release: {} },
    threads: 2,
    calls: 2,
  },
  // Lamport, 1983: one thread puts, another takes. Fault: the place is told before the value stands there.
  "Lamport's ring": {
    model: list(2, "shift"),
    words: [0, 0, 0, 0],
    attach: (words, _, hasFault) => ({
      put(value: number) {
        const tail = load(words, 1);
        if (tail - load(words, 0) === 2) return false;
        if (hasFault) store(words, 1, tail + 1);
        store(words, 2 + (tail % 2), value);
        if (!hasFault) store(words, 1, tail + 1);
        return true;
      },
      take() {
        const head = load(words, 0);
        if (load(words, 1) === head) return 0;
        const value = load(words, 2 + (head % 2));
        store(words, 0, head + 1);
        return value;
      },
    }),
    operations: { put: { ...nth, by: 0 }, take: { by: 1 } },
    threads: 2,
    calls: 3,
  },
  // Treiber, 1986, as a list of free slots with a count against ABA (IBM System/370). Word 0 is the first slot, word n the
  // one behind slot n. A thread gives back what it has held longest. Fault: no count.
  "Treiber's stack": {
    model: {
      free: [3, 2, 1],
      held: [[], []] as number[][],
      take(thread: number) {
        const slot = this.free.pop() ?? 0;
        if (slot > 0) this.held[thread]!.push(slot);
        return slot;
      },
      drop(thread: number) {
        this.free.push(...this.held[thread]!.splice(0, 1));
      },
    },
    words: [1, 2, 3, 0],
    attach(words, _, hasFault) {
      const held: number[] = [];
      return {
        take() {
          for (;;) {
            const first = load(words, 0);
            const slot = first & 15;
            if (slot === 0) return 0;
            if (!swapped(words, 0, first, (first & ~15) | load(words, slot))) continue;
            held.push(slot);
            return slot;
          }
        },
        drop() {
          const slot = held.shift();
          while (slot !== undefined) {
            const first = load(words, 0);
            store(words, slot, first & 15);
            if (swapped(words, 0, first, (hasFault ? 0 : (first & ~15) + 16) | slot)) return;
          }
        },
      };
    },
    operations: { take: own, drop: { ...own, by: 1 } },
    threads: 2,
    calls: 3,
  },
  // Vyukov, 2010: a ring whose places say whose turn it is. Fault: a taker frees its place before it has read the value.
  "Vyukov's queue": {
    model: list(2, "shift"),
    words: [0, 0, 0, 1, 0, 0],
    attach: (words, _, hasFault) => ({
      put(value: number) {
        for (;;) {
          const tail = load(words, 0);
          const ahead = load(words, 2 + (tail % 2)) - tail;
          if (ahead < 0) return false;
          if (ahead > 0 || !swapped(words, 0, tail, tail + 1)) continue;
          store(words, 4 + (tail % 2), value);
          store(words, 2 + (tail % 2), tail + 1);
          return true;
        }
      },
      take() {
        for (;;) {
          const head = load(words, 1);
          const ahead = load(words, 2 + (head % 2)) - head - 1;
          if (ahead < 0) return 0;
          if (ahead > 0 || !swapped(words, 1, head, head + 1)) continue;
          if (hasFault) store(words, 2 + (head % 2), head + 2);
          const value = load(words, 4 + (head % 2));
          if (!hasFault) store(words, 2 + (head % 2), head + 2);
          return value;
        }
      },
    }),
    // A call may meet one that is under way in its place.
    operations: { put: { ...nth, inVain: [false] }, take: { by: 1, inVain: [0] } },
    threads: 2,
    calls: 3,
  },
  // Chase & Lev, 2005: the owner puts and takes at the bottom, a thief at the top. Fault: the owner takes the last one as
  // it takes others.
  "Chase & Lev's deque": {
    model: { ...list(3, "pop"), steal: list(3, "shift").take },
    words: [0, 0, 0, 0, 0],
    attach: (words, _, hasFault) => ({
      put(value: number) {
        const bottom = load(words, 1);
        if (bottom - load(words, 0) === 3) return false;
        store(words, 2 + (bottom % 3), value);
        store(words, 1, bottom + 1);
        return true;
      },
      take() {
        const bottom = sub(words, 1, 1) - 1;
        const top = load(words, 0);
        if (top > bottom) {
          store(words, 1, top);
          return 0;
        }
        const value = load(words, 2 + (bottom % 3));
        if (top < bottom || hasFault) return value;
        const isOurs = swapped(words, 0, top, top + 1);
        store(words, 1, top + 1);
        return isOurs ? value : 0;
      },
      steal() {
        for (;;) {
          const top = load(words, 0);
          if (top >= load(words, 1)) return 0;
          const value = load(words, 2 + (top % 3));
          if (swapped(words, 0, top, top + 1)) return value;
        }
      },
    }),
    operations: { put: { ...nth, by: 0 }, take: { by: 0 }, steal: { by: 1 } },
    threads: 2,
    calls: 3,
  },
  // Lameter, seqlocks of Linux, 2005: one thread writes a pair. Fault: the version is not read again.
  seqlock: {
    model: {
      pair: [0, 0],
      write(value: number) {
        this.pair = [value, value];
      },
      read() {
        return this.pair;
      },
    },
    words: [0, 0, 0],
    attach: (words, _, hasFault) => ({
      write(value: number) {
        add(words, 0, 1);
        store(words, 1, value);
        store(words, 2, value);
        add(words, 0, 1);
      },
      read() {
        for (;;) {
          const version = load(words, 0);
          if (version % 2 === 1) continue;
          const pair = [load(words, 1), load(words, 2)];
          if (hasFault || load(words, 0) === version) return pair;
        }
      },
    }),
    operations: { write: { ...nth, by: 0 }, read: { by: 1 } },
    threads: 2,
    calls: 2,
  },
};
