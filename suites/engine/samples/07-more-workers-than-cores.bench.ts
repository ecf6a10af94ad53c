/**
 * 7. With more workers than cores, the scheduler takes part.
 *
 * Lesson: where workers outnumber cores, the holder of a lock may have none. Who spins for the lock then takes the time
 * that the holder needs; who sleeps gives it away. Measure the number of workers that you will run.
 *
 * Here: `spins` falls further behind with eight workers than with two, on a machine with fewer than eight cores.
 */
const LOCK = 0;
const COUNT = 32;

export const workers = {
  counts: [2, 8],
  shared: () => new Int32Array(new SharedArrayBuffer(256)),
  law(words: Int32Array, work: readonly { readonly operations: number }[]) {
    const done = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
    return words[COUNT] === done ? undefined : `${(done - words[COUNT]!) | 0} increments are lost`;
  },
};

/** 0 is free, 1 is held, 2 is held while others may sleep (Drepper, "Futexes Are Tricky", mutex 2). */
function sleep(words: Int32Array): void {
  let found = Atomics.compareExchange(words, LOCK, 0, 1);
  while (found !== 0) {
    if (found === 2 || Atomics.compareExchange(words, LOCK, 1, 2) !== 0) Atomics.wait(words, LOCK, 2);
    found = Atomics.compareExchange(words, LOCK, 0, 2);
  }
}

export const lock = {
  sleeps: (words: Int32Array) => () => {
    sleep(words);
    words[COUNT]!++;
    if (Atomics.sub(words, LOCK, 1) !== 1) {
      Atomics.store(words, LOCK, 0);
      Atomics.notify(words, LOCK, 1);
    }
  },
  spins: (words: Int32Array) => () => {
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0);
    words[COUNT]!++;
    Atomics.store(words, LOCK, 0);
  },
};
