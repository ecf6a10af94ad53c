import { full, nextGeneration } from "../parts/handles.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A 4-ary heap in one typed array, with each timer's due beside its name in the heap. Each timer's record knows its
 * position in the heap, so that any timer can be taken out or moved, not only the first.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one heap serve many.
 * Cost: add, cancel, refresh and each report take O(log n) steps, half as many as in a binary heap. A step down
 *   compares four deadlines that share a line, reads no record, and writes a position to one. nextExpiry reads two words.
 * Memory: 16 bytes per place.
 * Limits: the order among timers of one tick is the heap's and means nothing.
 * Bet: of the heaps that remove a cancelled timer it is the fastest once the binary one's records outgrow the cache. A
 *   wheel's constant handful of lines still beats its logarithm of them.
 * Source: Go runtime/time.go (timerHeapN = 4, a copy of the due in the heap). libev's 4-heap with EV_HEAP_CACHE_AT,
 *   which also places the root so that children share a line.
 *
 *     word 0                clock, a tick                                    words 2 .. 13  unused, so that four
 *     word 1                live timers                                                     children share a line
 *     HEAP   2 words each   the live timers as a heap, the one due first in front, its children at 4 i + 1 to
 *                           4 i + 4; behind them the free records, the one freed last in front
 *       +0  due             tick, while live
 *       +1  record
 *     then   RECORDS        2 words per place
 *       +0  handle          while live; while free, the last handle negated, or minus the place before the first
 *       +1  position        index of the entry in HEAP, while live
 *
 * A record is named by the index of its first word.
 */
export default {
  ...ofOneThread,
  summary: "typed-array 4-ary heap with deadlines beside the records' names, so that sifting reads no record",
  source: "Go runtime/time.go; libev ev.c",
  order: "deadline",

  words: (capacity) => HEAP + capacity * (ENTRY_WORDS + RECORD_WORDS),

  format(memory, capacity) {
    memory.fill(0, 0, HEAP);
    for (let place = 0; place < capacity; place++) {
      const record = HEAP + capacity * ENTRY_WORDS + place * RECORD_WORDS;
      memory[HEAP + place * ENTRY_WORDS + RECORD] = record;
      memory[record + HANDLE] = -place;
    }
  },

  attach: (memory, capacity) => new FourAryHeap(memory, capacity),
} satisfies TimersCompetitor;

const CLOCK = 0;
const LIVE = 1;
const HEAP = 14;

const ENTRY_WORDS = 2;
const DEADLINE = 0;
const RECORD = 1;

const RECORD_WORDS = 2;
const HANDLE = 0;
const POSITION = 1;

/**
 * Ticks that wrap are compared by their difference, which orders a heap only while all its deadlines lie within 2^31 of
 * each other. They do. add and refresh set them from clock + 1 to clock + 2^30. The clock never passes the deadline of
 * a live timer, as a budget that leaves some over stops it at the last one reported.
 */
export class FourAryHeap extends RegionTimers implements TimerSet {
  readonly #records: number;

  constructor(memory: Int32Array, capacity: number) {
    super(memory, capacity);
    this.#records = HEAP + capacity * ENTRY_WORDS;
  }

  add(deadline: number): number {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const live = memory[LIVE]!;
    if (live === this.capacity) throw full(this.capacity);
    const record = memory[HEAP + live * ENTRY_WORDS + RECORD]!;
    const handle = nextGeneration(-memory[record + HANDLE]!, this.mask);
    memory[record + HANDLE] = handle;
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
    replace(memory, memory[record + POSITION]!, record, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const limit = Math.min(budget, out.length);
    const clock = memory[CLOCK]!;
    const target = ((now - clock) | 0) > 0 ? now | 0 : clock;
    let count = 0;
    while (count < limit) {
      const deadline = memory[HEAP + DEADLINE]!;
      if (memory[LIVE] === 0 || ((target - deadline) | 0) < 0) {
        memory[CLOCK] = target;
        break;
      }
      memory[CLOCK] = deadline;
      const record = memory[HEAP + RECORD]!;
      out[count++] = memory[record + HANDLE]!;
      remove(memory, record);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.memory;
    return memory[LIVE] === 0 ? undefined : memory[HEAP + DEADLINE]!;
  }
}

/** Takes a live record out of the heap and makes it the first of the free ones. */
function remove(memory: Int32Array, record: number): void {
  const last = memory[LIVE]! - 1;
  const entry = HEAP + last * ENTRY_WORDS;
  const moved = memory[entry + RECORD]!;
  memory[LIVE] = last;
  memory[entry + RECORD] = record;
  memory[record + HANDLE] = -memory[record + HANDLE]!;
  if (moved !== record) replace(memory, memory[record + POSITION]!, moved, memory[entry + DEADLINE]!);
}

/**
 * Puts a record where another stood, or the same with another deadline. The former one was no sooner than its parent
 * and no later than its children. So a sooner one can only be wrong with its parent, and a later one only with its
 * children.
 */
function replace(memory: Int32Array, position: number, record: number, deadline: number): void {
  if (((deadline - memory[HEAP + position * ENTRY_WORDS + DEADLINE]!) | 0) < 0)
    rise(memory, position, record, deadline);
  else sink(memory, position, record, deadline);
}

/** Puts a record at a position or, while its parent would be due later, at the parent's, which moves down. */
function rise(memory: Int32Array, start: number, record: number, deadline: number): void {
  let position = start;
  while (position > 0) {
    const parent = (position - 1) >>> 2;
    const parentDeadline = memory[HEAP + parent * ENTRY_WORDS + DEADLINE]!;
    if (((parentDeadline - deadline) | 0) <= 0) break;
    put(memory, position, memory[HEAP + parent * ENTRY_WORDS + RECORD]!, parentDeadline);
    position = parent;
  }
  put(memory, position, record, deadline);
}

/** Puts a record at a position or, while a child would be due sooner, at the soonest child's, which moves up. */
function sink(memory: Int32Array, start: number, record: number, deadline: number): void {
  const live = memory[LIVE]!;
  let position = start;
  for (let child = 4 * start + 1; child < live; child = 4 * position + 1) {
    const end = Math.min(child + 4, live);
    let soonest = memory[HEAP + child * ENTRY_WORDS + DEADLINE]!;
    for (let other = child + 1; other < end; other++) {
      const otherDeadline = memory[HEAP + other * ENTRY_WORDS + DEADLINE]!;
      if (((otherDeadline - soonest) | 0) < 0) {
        child = other;
        soonest = otherDeadline;
      }
    }
    if (((soonest - deadline) | 0) >= 0) break;
    put(memory, position, memory[HEAP + child * ENTRY_WORDS + RECORD]!, soonest);
    position = child;
  }
  put(memory, position, record, deadline);
}

function put(memory: Int32Array, position: number, record: number, deadline: number): void {
  const entry = HEAP + position * ENTRY_WORDS;
  memory[entry + DEADLINE] = deadline;
  memory[entry + RECORD] = record;
  memory[record + POSITION] = position;
}
