import { Handles } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A binary heap of objects that can remove only its first. A cancelled timer stays as a dead node until its tick comes,
 * and a refreshed one leaves such a node behind.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free, but for the collector's pauses; an advance also takes out the dead nodes on its way, however
 *   many, whatever the budget.
 * Threads: one; every attach is a set of its own.
 * Cost: cancel sets a mark. add and refresh make a node and let it rise, past few others when it is due late. Each
 *   node, dead or not, is once taken from the front in O(log n) steps, where n counts dead nodes too. nextExpiry takes
 *   out the dead nodes in front.
 * Memory: private. A node is an object of three fields and a place in the heap's array. There is one for each add and
 *   refresh whose deadline is still ahead.
 * Limits: memory is not bounded by the capacity: timers moved every second and due in 60 leave 60 nodes each. Only
 *   the clock clears them. The order among timers of one tick is the heap's and means nothing.
 * Bet: it looks free while nothing has come due, and loses to every other heap after a few timeouts of virtual time, in
 *   memory first. The source's wheel was compared with this, not with an indexed heap.
 * Source: walkor/workerman src/Events/Select.php, SplPriorityQueue by negated time, with its deleteTimer.
 */
export default {
  ...privateToThread,
  summary: "binary heap of objects where a cancelled timer stays until its tick",
  source: "walkor/workerman src/Events/Select.php (SplPriorityQueue)",
  order: "deadline",
  emulates: "no removal: cancel marks, refresh marks and pushes anew",
  attach: (_memory, capacity) => new LazyObjectHeap(capacity),
} satisfies TimersCompetitor;

class Node {
  readonly handle: number;
  readonly deadline: number;
  dead = false;

  constructor(handle: number, deadline: number) {
    this.handle = handle;
    this.deadline = deadline;
  }
}

/**
 * Ticks that wrap are compared by their difference, which orders a heap only while all its deadlines lie within 2^31 of
 * each other. They do. add and refresh set them from clock + 1 to clock + 2^30. The clock never passes the deadline of
 * a node, dead or not. An advance removes all nodes due before the tick at which it leaves the clock.
 */
export class LazyObjectHeap implements TimerSet {
  readonly #handles: Handles;
  /** By place: the node of a live timer that is not dead. */
  readonly #nodes: (Node | undefined)[];
  /** The node due first in front, its children at 2 i + 1 and 2 i + 2. */
  readonly #heap: Node[] = [];
  #size = 0;
  #clock = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#nodes = Array.from({ length: capacity }, () => undefined);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    const handle = this.#handles.take();
    this.#push(handle, tick);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#nodes[this.#handles.placeOf(handle)]!.dead = true;
    this.#release(handle);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    this.#nodes[this.#handles.placeOf(handle)]!.dead = true;
    this.#push(handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const heap = this.#heap;
    const limit = Math.min(budget, out.length);
    const target = ((now - this.#clock) | 0) > 0 ? now | 0 : this.#clock;
    let count = 0;
    while (count < limit) {
      if (heap.length === 0 || ((target - heap[0]!.deadline) | 0) < 0) {
        this.#clock = target;
        break;
      }
      const node = heap[0]!;
      pop(heap);
      if (node.dead) continue;
      this.#clock = node.deadline;
      out[count++] = node.handle;
      this.#release(node.handle);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const heap = this.#heap;
    // A dead node in front could be due at the clock, where the contract allows only a timer that a budget left over.
    while (heap.length > 0 && heap[0]!.dead) pop(heap);
    return heap.length === 0 ? undefined : heap[0]!.deadline;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  #push(handle: number, deadline: number): void {
    const node = new Node(handle, deadline);
    this.#nodes[this.#handles.placeOf(handle)] = node;
    this.#heap.push(node);
    rise(this.#heap, node);
  }

  #release(handle: number): void {
    this.#nodes[this.#handles.placeOf(handle)] = undefined;
    this.#handles.release(handle);
    this.#size--;
  }
}

/** Takes the first node out of a heap that is not empty. */
function pop(heap: Node[]): void {
  const last = heap.pop()!;
  if (heap.length > 0) sink(heap, last);
}

/** Moves a node up from the end to where its parent is due no later. */
function rise(heap: Node[], node: Node): void {
  let position = heap.length - 1;
  while (position > 0) {
    const parent = (position - 1) >>> 1;
    const above = heap[parent]!;
    if (((above.deadline - node.deadline) | 0) <= 0) break;
    heap[position] = above;
    position = parent;
  }
  heap[position] = node;
}

/** Puts a node in front, in place of what stood there, or as far down as a child is due sooner. */
function sink(heap: Node[], node: Node): void {
  let position = 0;
  for (let child = 1; child < heap.length; child = 2 * position + 1) {
    let below = heap[child]!;
    if (child + 1 < heap.length) {
      const right = heap[child + 1]!;
      if (((right.deadline - below.deadline) | 0) < 0) {
        child++;
        below = right;
      }
    }
    if (((below.deadline - node.deadline) | 0) >= 0) break;
    heap[position] = below;
    position = child;
  }
  heap[position] = node;
}
