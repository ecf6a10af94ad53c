import { check, WAITS } from "interleave-shared/model";

const [HEAD, TAIL, PLACE] = [0, 1, 2];

/** A queue of one place. Its threads sleep while there is nothing to take, and no place to put it. */
class Queue {
  readonly words: Int32Array;

  constructor(words: Int32Array) {
    this.words = words;
  }

  put(value: number): void {
    for (;;) {
      const head = Atomics.load(this.words, HEAD);
      const tail = Atomics.load(this.words, TAIL);
      if (tail === head) {
        Atomics.store(this.words, PLACE, value);
        Atomics.store(this.words, TAIL, tail + 1);
        Atomics.notify(this.words, TAIL);
        return;
      }
      Atomics.wait(this.words, HEAD, head);
    }
  }

  take(): number {
    for (;;) {
      const tail = Atomics.load(this.words, TAIL);
      const head = Atomics.load(this.words, HEAD);
      if (tail > head) {
        const value = Atomics.load(this.words, PLACE);
        Atomics.store(this.words, HEAD, head + 1);
        return value;
      }
      Atomics.wait(this.words, TAIL, tail);
    }
  }
}

/** What the queue promises to be, as one thread sees it. */
const model = {
  values: [] as number[],
  put(value: number) {
    if (this.values.length === 1) return WAITS;
    this.values.push(value);
    return undefined;
  },
  take() {
    return this.values.shift() ?? WAITS;
  },
};

const checked = (Made: typeof Queue) =>
  check({
    model,
    shared: new Int32Array(new SharedArrayBuffer(12)),
    names: ["head", "tail", "place"],
    attach: (words) => new Made(words),
    operations: {
      put: { by: 0, args: ({ nth }) => [nth] },
      take: { by: 1 },
    },
    threads: 2,
    calls: 3,
  });

class MendedQueue extends Queue {
  override take(): number {
    const value = super.take();
    Atomics.notify(this.words, HEAD);
    return value;
  }
}

/** Frees its place before it reads the value. */
class HastyQueue extends MendedQueue {
  override take(): number {
    for (;;) {
      const tail = Atomics.load(this.words, TAIL);
      const head = Atomics.load(this.words, HEAD);
      if (tail > head) {
        Atomics.store(this.words, HEAD, head + 1);
        Atomics.notify(this.words, HEAD);
        return Atomics.load(this.words, PLACE);
      }
      Atomics.wait(this.words, TAIL, tail);
    }
  }
}

for (const Made of [Queue, HastyQueue, MendedQueue])
  try {
    console.log(String(checked(Made)));
  } catch (error) {
    console.log((error as Error).message);
  }
