import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";

/**
 * Where workers of a queue sleep, and how it is closed: the same for every queue. An eventcount after Vyukov ("eventcount",
 * 1024cores): whoever finds nothing to do announces itself, looks once more, and sleeps on the value that it left.
 * Whoever changes the queue reads one word, and calls the kernel only if a sleeper was announced.
 *
 * A worker that was woken wakes one more. So it is enough that `freeSeat` wakes one, if a worker was terminated between
 * taking the announcements back and waking those who made them.
 *
 *     word 0       event   bit 0: a consumer may sleep; bit 1: a producer may; above: how often all were woken, atomically
 *     words 32 ..  closed  for each producer 1 once it sends no more; written by any worker, atomically
 */
export class Parking {
  readonly #memory: Region;
  readonly #producers: number;

  constructor(memory: Region, producers: number) {
    this.#memory = memory;
    this.#producers = producers;
  }

  /** The last one is nobody's: see shared/wasm.ts. */
  static words = (producers: number) => CLOSED + wholeStrides(producers + 1);

  static format(memory: Region, producers: number): void {
    Atomics.store(memory, EVENT, 0);
    for (let producer = 0; producer < producers; producer++) Atomics.store(memory, CLOSED + producer, 0);
  }

  /** Wakes all sleepers if one of this kind was announced. Called after each change that it may wait for. */
  wake(kind: Kind): void {
    const memory = this.#memory;
    for (let seen = Atomics.load(memory, EVENT); (seen & kind) !== 0; ) {
      const found = Atomics.compareExchange(memory, EVENT, seen, (seen & ~KINDS) + ONE_WAKE_UP);
      if (found === seen) {
        Atomics.notify(memory, EVENT);
        return;
      }
      seen = found;
    }
  }

  /** Announces a sleeper and returns the value to sleep on. Its caller looks once more before it sleeps. */
  announce(kind: Kind): number {
    return Atomics.or(this.#memory, EVENT, kind) | kind;
  }

  /** Blocks the thread until it is woken. Returns false where that took `limitMs`. */
  sleep(value: number, limitMs: number): boolean {
    const ended = Atomics.wait(this.#memory, EVENT, value, limitMs);
    if (ended === "ok") Atomics.notify(this.#memory, EVENT, 1);
    return ended !== "timed-out";
  }

  /** The same without blocking the thread; undefined where the value is another by now. */
  sleepAsync(value: number): Promise<void> | undefined {
    const { async: sleeps, value: ended } = Atomics.waitAsync(this.#memory, EVENT, value);
    if (!sleeps) return undefined;
    return ended.then(() => {
      Atomics.notify(this.#memory, EVENT, 1);
    });
  }

  /** The producer sends no more. */
  close(producer: number): void {
    Atomics.store(this.#memory, CLOSED + producer, 1);
    this.wake(CONSUMER);
    this.wake(PRODUCER);
  }

  isClosed(producer: number): boolean {
    return Atomics.load(this.#memory, CLOSED + producer) !== 0;
  }

  get areAllClosed(): boolean {
    for (let producer = 0; producer < this.#producers; producer++) if (!this.isClosed(producer)) return false;
    return true;
  }
}

export type Kind = typeof CONSUMER | typeof PRODUCER;
export const CONSUMER = 1;
export const PRODUCER = 2;

/** On which freeSeat wakes a sleeper. */
export const EVENT = 0;
const CLOSED = STRIDE_WORDS;
const KINDS = CONSUMER | PRODUCER;
const ONE_WAKE_UP = 4;
