import { full, nextGeneration } from "../parts/handles.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A binary heap of timers in one typed array. Each timer's record knows its position in the heap, so that any timer
 * can be taken out or moved, not only the first.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one heap serve many.
 * Cost: add, cancel, refresh and each report take O(log n) steps. A step down the heap reads two records, which lie
 *   anywhere in memory, to compare their deadlines, and writes to one. A refresh to a later deadline usually goes all the way
 *   down. nextExpiry reads two words.
 * Memory: 16 bytes per place.
 * Limits: the order among timers of one tick is the heap's and means nothing.
 * Bet: it loses to every wheel as soon as the records outgrow the cache. A change touches O(log n) of them and not only
 *   its own. It is what a wheel has to beat, without the cost of objects.
 * Source: libuv heap-inl.h, a heap whose nodes lie inside the timers; wahern/timeout's benchmarks against a heap.
 *
 *     word 0                clock, a tick                                    words 2 .. 14  unused, so that both
 *     word 1                live timers                                                     children share a line
 *     HEAP   1 word each    the live records as a heap, the one due first in front, its children at 2 i + 1 and
 *                           2 i + 2; behind them the free records, the one freed last in front
 *     then   RECORDS        3 words per place, and no fourth: one record in eight spans two lines for that, but all
 *                           of them fit a smaller cache
 *       +0  due             tick
 *       +1  handle          while live; while free, the last handle negated, or minus the place before the first
 *       +2  position        index in HEAP, while live
 *
 * A record is named by the index of its first word.
 */
export default {
  ...ofOneThread,
  summary: "typed-array binary heap of records that know their position, so that cancel takes them out",
  source: "libuv src/heap-inl.h; wahern/timeout",
  variantOf: "four-ary-heap",
  order: "deadline",

  words: (capacity) => HEAP + capacity * (1 + RECORD_WORDS),

  format(memory, capacity) {
    memory.fill(0, 0, HEAP);
    for (let place = 0; place < capacity; place++) {
      const record = HEAP + capacity + place * RECORD_WORDS;
      memory[HEAP + place] = record;
      memory[record + HANDLE] = -place;
    }
  },

  attach: (memory, capacity) => new BinaryHeap(memory, capacity),
} satisfies TimersCompetitor;

const CLOCK = 0;
const LIVE = 1;
const HEAP = 15;

const RECORD_WORDS = 3;
const DEADLINE = 0;
const HANDLE = 1;
const POSITION = 2;

/**
 * Ticks that wrap are compared by their difference, which orders a heap only while all its deadlines lie within 2^31 of
 * each other. They do. add and refresh set them from clock + 1 to clock + 2^30. The clock never passes the deadline of
 * a live timer, as a budget that leaves some over stops it at the last one reported.
 */
export class BinaryHeap extends RegionTimers implements TimerSet {
  readonly #records: number;

  constructor(memory: Int32Array, capacity: number) {
    super(memory, capacity);
    this.#records = HEAP + capacity;
  }

  add(deadline: number): number {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const live = memory[LIVE]!;
    if (live === this.capacity) throw full(this.capacity);
    const record = memory[HEAP + live]!;
    const handle = nextGeneration(-memory[record + HANDLE]!, this.mask);
    memory[record + HANDLE] = handle;
    memory[record + DEADLINE] = tick;
    memory[LIVE] = live + 1;
    rise(memory, live, record, tick);
    return handle;
  }

  cancel(handle: number): boolean {
    const memory = this.memory;
    const record = this.#records + (handle & this.mask) * RECORD_WORDS;
    // A free record holds a number that is not positive, and a place beyond the capacity reads undefined: neither
    // equals a handle. The sign is tested because a free record's own content must not pass for a handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    remove(memory, record);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = this.#records + (handle & this.mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    const before = memory[record + DEADLINE]!;
    memory[record + DEADLINE] = tick;
    replace(memory, memory[record + POSITION]!, before, record, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const limit = Math.min(budget, out.length);
    const clock = memory[CLOCK]!;
    const target = ((now - clock) | 0) > 0 ? now | 0 : clock;
    let count = 0;
    while (count < limit) {
      const record = memory[HEAP]!;
      const deadline = memory[record + DEADLINE]!;
      if (memory[LIVE] === 0 || ((target - deadline) | 0) < 0) {
        memory[CLOCK] = target;
        break;
      }
      memory[CLOCK] = deadline;
      out[count++] = memory[record + HANDLE]!;
      remove(memory, record);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.memory;
    return memory[LIVE] === 0 ? undefined : memory[memory[HEAP]! + DEADLINE]!;
  }
}

/** Takes a live record out of the heap and makes it the first of the free ones. */
function remove(memory: Int32Array, record: number): void {
  const last = memory[LIVE]! - 1;
  const moved = memory[HEAP + last]!;
  memory[LIVE] = last;
  memory[HEAP + last] = record;
  memory[record + HANDLE] = -memory[record + HANDLE]!;
  if (moved === record) return;
  replace(memory, memory[record + POSITION]!, memory[record + DEADLINE]!, moved, memory[moved + DEADLINE]!);
}

/**
 * Puts a record where one due `before` stood. That one was no sooner than its parent and no later than its children. So
 * a sooner one can only be wrong with its parent, and a later one only with its children.
 */
function replace(
  memory: Int32Array,
  position: number,
  before: number,
  record: number,
  deadline: number,
): void {
  if (((deadline - before) | 0) < 0) rise(memory, position, record, deadline);
  else sink(memory, position, record, deadline);
}

/** Puts a record at a position or, while its parent would be due later, at the parent's, which moves down. */
function rise(memory: Int32Array, start: number, record: number, deadline: number): void {
  let position = start;
  while (position > 0) {
    const parent = (position - 1) >>> 1;
    const above = memory[HEAP + parent]!;
    if (((memory[above + DEADLINE]! - deadline) | 0) <= 0) break;
    memory[HEAP + position] = above;
    memory[above + POSITION] = position;
    position = parent;
  }
  memory[HEAP + position] = record;
  memory[record + POSITION] = position;
}

/** Puts a record at a position or, while a child would be due sooner, at the sooner child's, which moves up. */
function sink(memory: Int32Array, start: number, record: number, deadline: number): void {
  const live = memory[LIVE]!;
  let position = start;
  for (let child = 2 * start + 1; child < live; child = 2 * position + 1) {
    let below = memory[HEAP + child]!;
    let soonest = memory[below + DEADLINE]!;
    if (child + 1 < live) {
      const right = memory[HEAP + child + 1]!;
      const rightDeadline = memory[right + DEADLINE]!;
      if (((rightDeadline - soonest) | 0) < 0) {
        child++;
        below = right;
        soonest = rightDeadline;
      }
    }
    if (((soonest - deadline) | 0) >= 0) break;
    memory[HEAP + position] = below;
    memory[below + POSITION] = position;
    position = child;
  }
  memory[HEAP + position] = record;
  memory[record + POSITION] = position;
}
