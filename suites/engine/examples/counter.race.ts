import { allocateRegion, defineRace, type Region, runRace } from "hotpath-race";

/** Counts events in one word that all workers share, and returns the sum of the values that it found there. */
type Count = (word: Region, events: number) => number;

const add: Count = (word, events) => {
  let sum = 0;
  for (let event = 0; event < events; event++) sum = (sum + Atomics.add(word, 0, 1)) | 0;
  return sum;
};

const compareAndSwap: Count = (word, events) => {
  let sum = 0;
  for (let event = 0; event < events; event++) {
    let seen = Atomics.load(word, 0);
    for (;;) {
      const found = Atomics.compareExchange(word, 0, seen, (seen + 1) | 0);
      if (found === seen) break;
      seen = found;
    }
    sum = (sum + seen) | 0;
  }
  return sum;
};

/** Loses events where two workers load the same value. */
const loadAndStore: Count = (word, events) => {
  let sum = 0;
  for (let event = 0; event < events; event++) {
    const seen = Atomics.load(word, 0);
    Atomics.store(word, 0, (seen + 1) | 0);
    sum = (sum + seen) | 0;
  }
  return sum;
};

const counter = defineRace<Count, undefined, Region>({
  scenario: "counter",
  title: "one counter for all workers",
  operation: "event",
  competitors: { add, "compare-and-swap": compareAndSwap, "load-and-store": loadAndStore },
  prepare: () => allocateRegion(1),
  attach: (count, _setup, word) => ({ run: (events) => count(word, events) }),
  law(_count, _setup, word, work) {
    const events = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
    const lost = (events - word[0]!) | 0;
    return lost === 0 ? undefined : `countsAll: ${lost} events are not counted`;
  },
});

export default counter;

await runRace(import.meta.url, counter);
