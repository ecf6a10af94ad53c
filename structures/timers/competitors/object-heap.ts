import { Handles } from "../parts/handles.ts";
import { insert, move, remove } from "../parts/positioned-heap.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A binary heap of one object per timer. Each knows its position in the heap, so that any timer can be taken out or
 * moved, not only the first.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free, but for the collector's pauses.
 * Threads: one; every attach is a set of its own.
 * Cost: add, cancel, refresh and each report take O(log n) steps. A step down the heap reads two objects, which lie
 *   anywhere in memory, and writes to one. add makes an object, and a report leaves it to the garbage collector.
 * Memory: private; a timer is an object of three numbers, a place in the heap's array and one in the array by handle.
 * Limits: the order among timers of one tick is the heap's and means nothing. Timers that live long are copied by the
 *   collector, and each object moved in the heap's array costs a write barrier.
 * Bet: objects cost less than their reputation. With as many steps as the typed heap it stays near it in time, and pays
 *   in memory and in pauses.
 * Source: libuv src/heap-inl.h, a heap whose nodes lie inside the timers, written as JavaScript would have it.
 */
export default {
  ...privateToThread,
  summary: "binary heap of objects that know their position, so that cancel takes them out",
  source: "libuv src/heap-inl.h",
  variantOf: "binary-heap",
  order: "deadline",
  attach: (_memory, capacity) => new ObjectHeap(capacity),
} satisfies TimersCompetitor;

class Timer {
  readonly handle: number;
  /** Its deadline. */
  tick: number;
  position = 0;

  constructor(handle: number, tick: number) {
    this.handle = handle;
    this.tick = tick;
  }
}

/**
 * All deadlines lie within 2^31 of each other, as the heap asks. add and refresh set them from clock + 1 to clock +
 * 2^30. The clock never passes the deadline of a live timer, as a budget that leaves some over stops it at the last one
 * reported.
 */
export class ObjectHeap implements TimerSet {
  readonly #handles: Handles;
  /** By place: the live timers. */
  readonly #timers: (Timer | undefined)[];
  readonly #heap: Timer[] = [];
  #clock = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#timers = Array.from({ length: capacity }, () => undefined);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    const handle = this.#handles.take();
    const timer = new Timer(handle, tick);
    this.#timers[this.#handles.placeOf(handle)] = timer;
    insert(this.#heap, timer);
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(this.#timers[this.#handles.placeOf(handle)]!);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    move(this.#heap, this.#timers[this.#handles.placeOf(handle)]!, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const heap = this.#heap;
    const limit = Math.min(budget, out.length);
    const target = ((now - this.#clock) | 0) > 0 ? now | 0 : this.#clock;
    let count = 0;
    while (count < limit) {
      if (heap.length === 0 || ((target - heap[0]!.tick) | 0) < 0) {
        this.#clock = target;
        break;
      }
      const timer = heap[0]!;
      this.#clock = timer.tick;
      out[count++] = timer.handle;
      this.#remove(timer);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    return this.#heap.length === 0 ? undefined : this.#heap[0]!.tick;
  }

  get size(): number {
    return this.#heap.length;
  }

  get clock(): number {
    return this.#clock;
  }

  #remove(timer: Timer): void {
    remove(this.#heap, timer);
    this.#timers[this.#handles.placeOf(timer.handle)] = undefined;
    this.#handles.release(timer.handle);
  }
}
