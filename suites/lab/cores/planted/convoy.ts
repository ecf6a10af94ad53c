import { STRIDE_WORDS } from "../../../engine/words/layout.ts";
import { guarded, type PlantedLock } from "./guarded.ts";

/** Polls before a worker sleeps: about as long as two workers wait for each other. */
const POLLS = 1_000;

const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;

/** Any worker that finds the lock free takes it, and a sleeper that is woken tries again. */
const barging: PlantedLock = {
  words: () => 1,
  attach: (memory) => ({
    lock() {
      for (let polls = 0; polls < POLLS; polls++)
        if (memory[0] === FREE && Atomics.compareExchange(memory, 0, FREE, TAKEN) === FREE) return;
      while (Atomics.exchange(memory, 0, TAKEN_WITH_SLEEPERS) !== FREE)
        Atomics.wait(memory, 0, TAKEN_WITH_SLEEPERS);
    },
    unlock() {
      if (Atomics.exchange(memory, 0, FREE) === TAKEN_WITH_SLEEPERS) Atomics.notify(memory, 0, 1);
    },
  }),
};

/**
 * The lock goes to the one that has waited longest, asleep or not. Where the queue is longer than workers poll, each is
 * asleep by the time that its turn comes. The lock is then nobody's for as long as it takes to wake it: a convoy.
 */
const handingOver: PlantedLock = {
  // The next ticket, and for each of the workers a word with the ticket that may go in.
  words: (workers) => (1 + workers) * STRIDE_WORDS,
  attach(memory, workers) {
    const turnOf = (ticket: number) => (1 + (ticket % workers)) * STRIDE_WORDS;
    let mine = 0;
    return {
      lock() {
        mine = Atomics.add(memory, 0, 1);
        const turn = turnOf(mine);
        for (let polls = 0; polls < POLLS; polls++) if (memory[turn] === mine) return;
        for (let served = Atomics.load(memory, turn); served !== mine; served = Atomics.load(memory, turn))
          Atomics.wait(memory, turn, served);
      },
      unlock() {
        const turn = turnOf(mine + 1);
        Atomics.store(memory, turn, mine + 1);
        Atomics.notify(memory, turn, 1);
      },
    };
  },
};

export default guarded("convoy", "a lock that is handed to sleepers", {
  honest: barging,
  faulty: handingOver,
});
