import { onAbort } from "../../shared/abort-calls.ts";
import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";

/**
 * Where workers of a queue sleep, and how it is closed: the same for every queue. An eventcount after Vyukov ("eventcount",
 * 1024cores): whoever finds nothing to do announces itself, looks once more, and sleeps on the value that it left.
 * Whoever changes the queue reads one word, and calls the kernel only if a sleeper was announced.
 *
 * Where a worker is terminated between taking the announcements back and waking those who made them, `freeSeat` wakes them.
 *
 *     word 0       event   bit 0: a consumer may sleep; bit 1: a producer may; above: how often all were woken, atomically
 *     words 32 ..  closed  for each producer 1 once it sends no more; written by any worker, atomically
 */
export class Parking {
  readonly #memory: Region;
  readonly #producers: number;
  /** What this thread's waiter in Atomics.waitAsync waits on, and the calls that it is for. Nobody can take a waiter back. */
  #awaited: number | undefined;
  readonly #calls = new Set<() => void>();

  constructor(memory: Region, producers: number) {
    this.#memory = memory;
    this.#producers = producers;
  }

  static words = (producers: number) => CLOSED + wholeStrides(producers);

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
    return Atomics.wait(this.#memory, EVENT, value, limitMs) !== "timed-out";
  }

  /**
   * The same without blocking the thread, until a signal aborts at the latest; undefined where the value is another by now.
   * Sleepers share a waiter: one that gave up leaves it to the next.
   */
  sleepAsync(value: number, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#awaited !== value) {
      const { async: sleeps, value: ended } = Atomics.waitAsync(this.#memory, EVENT, value);
      if (!sleeps) return undefined;
      this.#awaited = value;
      void ended.then(() => {
        if (this.#awaited === value) this.#awaited = undefined;
        for (const call of this.#calls) call();
      });
    }
    return new Promise((resolve) => {
      const call = () => {
        forget();
        this.#calls.delete(call);
        resolve();
      };
      const forget = onAbort(signal, call);
      this.#calls.add(call);
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
