import { Handles } from "../parts/handles.ts";
import { insert, move, remove } from "../parts/positioned-heap.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * The min-heap of the source document, used as the document uses it: a message writes when it came and moves nothing. A
 * timer that fires looks whether its connection was heard since, and if so is set for another whole interval.
 *
 * Kept as in the source: one timer for each connection, in a binary heap that can remove any; a stamp per message. The
 * timer repeats until it is deleted, as Workerman's Timer::add does, with a callback that compares the stamp with now.
 *
 * Changed, for the contract:
 * - The stamp is the deadline that it comes to, and the interval stands beside it, because each refresh may have its own.
 * - A refresh to before the next look moves the timer. In the source all timeouts are one, and it never comes to that.
 * - The connection is reported by having its handle written down, and its timer goes with it. Its callback is kept for
 *   what it weighs, and is not called.
 *
 * Promise: everything the contract asks; order none. It is late by less than the interval: a look right before the
 *   deadline finds the connection alive, and the next is an interval later.
 * Progress: wait-free, but for the collector's pauses; an advance also moves all postponed timers on its way, however
 *   many, whatever the budget.
 * Threads: one; every attach is a set of its own.
 * Cost: a refresh to a later tick writes two fields of one object. add, cancel, a report and a look that finds the
 *   connection alive take O(log n) steps; a step down reads two objects. nextExpiry moves what was postponed at the
 *   clock's tick.
 * Memory: private; a timer is an object of six fields, a place in the heap's array and one in the array by handle.
 * Limits: a connection that falls silent is held up to twice its timeout. The order of reports means nothing.
 * Bet: with a store per message and a look per interval, the heap needs less processor time than the source's wheel.
 *   That wheel removes and adds a task per message. The source's 60 % come from when timers are moved, not from wheel
 *   or heap.
 * Source: the source document's onConnect, onMessage and onClose beside Timer::add (section 3).
 */
export default {
  ...privateToThread,
  summary:
    "the source document's heap: a message writes a stamp, and a timer that fires compares it with now",
  source: "source document, section 3",
  order: "none",
  emulates: "callbacks by handles written down; a stamp by the deadline that it comes to",
  lateness: (delay) => delay - 1,
  attach: (_memory, capacity) => new SourceHeap(capacity),
} satisfies TimersCompetitor;

class Timer {
  readonly handle: number;
  /** Of the next look. */
  tick: number;
  position = 0;
  deadline: number;
  interval: number;
  readonly callback = callback;

  constructor(handle: number, deadline: number, interval: number) {
    this.handle = handle;
    this.tick = deadline;
    this.deadline = deadline;
    this.interval = interval;
  }
}

const callback = () => {};

/**
 * All looks lie within 2^31 ticks of each other, as the heap asks. They are set from clock + 1 to clock + 2^30, and the
 * clock never passes one without taking it.
 */
class SourceHeap implements TimerSet {
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
    const timer = new Timer(handle, tick, (tick - this.#clock) | 0);
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
    const timer = this.#timers[this.#handles.placeOf(handle)]!;
    timer.deadline = tick;
    timer.interval = (tick - this.#clock) | 0;
    if (((tick - timer.tick) | 0) < 0) move(this.#heap, timer, tick);
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
      if (this.#isPutOff(timer)) continue;
      out[count++] = timer.handle;
      this.#remove(timer);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const heap = this.#heap;
    while (heap.length > 0) {
      const timer = heap[0]!;
      // A look at the clock's own tick may only be for a timer that a budget left over.
      if (timer.tick !== this.#clock || !this.#isPutOff(timer)) return timer.tick;
    }
    return undefined;
  }

  get size(): number {
    return this.#heap.length;
  }

  get clock(): number {
    return this.#clock;
  }

  /** The callback, at the tick of its look: whether the connection was heard since, and the next look is due. */
  #isPutOff(timer: Timer): boolean {
    if (((timer.deadline - timer.tick) | 0) <= 0) return false;
    move(this.#heap, timer, (timer.tick + timer.interval) | 0);
    return true;
  }

  #remove(timer: Timer): void {
    remove(this.#heap, timer);
    this.#timers[this.#handles.placeOf(timer.handle)] = undefined;
    this.#handles.release(timer.handle);
  }
}
