import honest from "../competitors/sorted-list.ts";
import { Handles } from "../parts/handles.ts";
import { dueTick } from "../parts/ticks.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A heap whose cancel moves the last timer into the hole and sifts it down, but never up: right as long as the hole is
 * above the last timer, and wrong when it is in a later branch.
 */
export default {
  ...honest,
  summary: "broken: its heap is none after a cancel in another branch",
  order: "due",
  attach: (_memory, capacity) => new HeapOrderBreaker(capacity),
} satisfies TimersCompetitor;

export const breaks = "inOrder";

class HeapOrderBreaker implements TimerSet {
  readonly #handles: Handles;
  readonly #heap: { readonly handle: number; readonly due: number }[] = [];
  #clock = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
  }

  add(due: number): number {
    const tick = dueTick(this.#clock, due);
    const handle = this.#handles.take();
    this.#push(handle, tick);
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#handles.release(handle);
    return true;
  }

  refresh(handle: number, due: number): boolean {
    const tick = dueTick(this.#clock, due);
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#push(handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const target = ((now - this.#clock) | 0) > 0 ? now | 0 : this.#clock;
    let count = 0;
    while (count < limit && this.size > 0 && ((target - this.#dueOf(0)) | 0) >= 0) {
      this.#clock = this.#dueOf(0);
      const { handle } = this.#heap[0]!;
      this.cancel(handle);
      out[count++] = handle;
    }
    if (count < limit) this.#clock = target;
    return count;
  }

  nextExpiry(): number | undefined {
    return this.#heap[0]?.due;
  }

  get size(): number {
    return this.#heap.length;
  }

  get clock(): number {
    return this.#clock;
  }

  #push(handle: number, due: number): void {
    let index = this.#heap.push({ handle, due }) - 1;
    for (
      let parent = (index - 1) >> 1;
      parent >= 0 && this.#isBefore(index, parent);
      parent = (index - 1) >> 1
    ) {
      this.#swap(index, parent);
      index = parent;
    }
  }

  #remove(handle: number): void {
    let hole = this.#heap.findIndex((timer) => timer.handle === handle);
    this.#swap(hole, this.size - 1);
    this.#heap.pop();
    for (let child = 2 * hole + 1; child < this.size; child = 2 * hole + 1) {
      if (child + 1 < this.size && this.#isBefore(child + 1, child)) child++;
      if (!this.#isBefore(child, hole)) break;
      this.#swap(child, hole);
      hole = child;
    }
  }

  #dueOf(index: number): number {
    return this.#heap[index]!.due;
  }

  #isBefore(index: number, other: number): boolean {
    return ((this.#dueOf(index) - this.#dueOf(other)) | 0) < 0;
  }

  #swap(index: number, other: number): void {
    const timer = this.#heap[index]!;
    this.#heap[index] = this.#heap[other]!;
    this.#heap[other] = timer;
  }
}
