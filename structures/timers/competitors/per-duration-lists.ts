import { full, nextGeneration, placeMask } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * One list of timers for each delay in use. Timers set with the same delay come due in the order in which they were
 * set. So a list is in order of deadlines with no work at all. A heap holds the lists by their first timer; a hash
 * table finds them by delay.
 *
 * Promise: everything the contract asks; order due, and fifo among timers of one delay; never late.
 * Progress: wait-free, but for the doubling of its memory when there are more delays than ever before.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh find a list and put the timer at its end; cancel and refresh take it out by touching its two
 *   neighbours. None touches the heap, unless a list begins or ends: then O(log d) steps with d delays in use.
 *   A list's place in the heap may be too far in front. That is corrected in O(log d) steps when it gets to the front,
 *   by advance or nextExpiry.
 * Memory: private; 16 bytes per place, and 32 to 64 per delay in use at the busiest moment.
 * Limits: it lives on few delays. Where all are distinct it is a heap of lists of one timer, slower than the heap
 *   alone. A delay is counted from the clock of the set. A caller whose deadlines come from a finer clock than the one
 *   it advances makes a list for each difference. So does one that sets timers while a budget holds the clock back.
 * Bet: with one timeout for all, the only structure that equals the wheel. It computes no slot and has no bitmap, but
 *   the ends of one list in place of 2^16 heads. It still does with a few hundred delays, but not with random ones.
 * Source: Node lib/internal/timers.js, its essay on lists by duration and its lazily corrected queue of them; common
 *   timeouts in libevent; "Lawn", Adam Lev-Libfeld (2019), arXiv:1906.10860.
 *
 *     #memory: 4 words per place, then 4 words per list
 *       +0  due, tick                  or, of a list: delay, ticks
 *       +1  handle                     or, of a list: position, its index in #heap
 *       +2  next                       the timer set next, then the list; of a list: its first timer
 *       +3  previous                   the timer set before, before it the list; of a list: its last timer
 *     #heap: 2 words per list
 *       +0  due, tick                  of the list's first timer, or of one that was first before it
 *       +1  list
 *     #table: list or NO_LIST, by hash of its delay
 *
 * Timers and lists are named by the index of their first word. handle: while live; while free, the last one negated, or
 * minus the place before the first. next of a free timer: the next free one, or NONE. Behind the lists in use, #heap
 * holds the unused ones.
 */
export default {
  ...privateToThread,
  summary: "one FIFO list per delay in use, and a heap of these lists by their first timer",
  source: 'Node lib/internal/timers.js; libevent common timeouts; Lev-Libfeld, "Lawn" (2019)',
  variantOf: "node-set-timeout",
  order: "deadline",
  attach: (_memory, capacity) => new PerDurationLists(capacity),
} satisfies TimersCompetitor;

const WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const DELAY = 0;
const POSITION = 1;
const NEXT = 2;
const PREVIOUS = 3;
const NONE = -1;

const ENTRY_WORDS = 2;
const LIST = 1;

/** Lists come after at least one timer, so none is at 0. */
const NO_LIST = 0;

/** Lists that there is room for at first: more delays than most programs have. A power of two. */
const LISTS_AT_FIRST = 64;

/** 2^32 divided by the golden ratio: multiples of a second, which delays often are, end up far from each other. */
const HASH_FACTOR = 0x9e37_79b1;

/**
 * Ticks that wrap are compared by their difference, which orders a heap only while all its deadlines lie within 2^31 of
 * each other. They do. Timers are set from clock + 1 to clock + 2^30. An advance corrects or ends every list whose due
 * in the heap is before the tick at which it leaves the clock.
 */
export class PerDurationLists implements TimerSet {
  readonly #capacity: number;
  readonly #mask: number;
  #memory: Int32Array;
  #heap: Int32Array;
  /** Linear probing; twice as many cells as there is room for lists. */
  #table: Int32Array;
  /** Bits that a 32-bit hash has more than an index of #table. */
  #shift: number;
  #lists = 0;
  #free: number;
  #size = 0;
  #clock = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#memory = new Int32Array((capacity + LISTS_AT_FIRST) * WORDS);
    this.#heap = new Int32Array(LISTS_AT_FIRST * ENTRY_WORDS);
    this.#table = new Int32Array(LISTS_AT_FIRST * 2);
    this.#shift = Math.clz32(LISTS_AT_FIRST * 2) + 1;
    this.#free = 0;
    for (let place = 0; place < capacity; place++) {
      const timer = place * WORDS;
      this.#memory[timer + HANDLE] = -place;
      this.#memory[timer + NEXT] = place + 1 < capacity ? timer + WORDS : NONE;
    }
    this.#offerLists(0);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    const timer = this.#free;
    if (timer === NONE) throw full(this.#capacity);
    const list = this.#listFor(tick);
    const memory = this.#memory;
    this.#free = memory[timer + NEXT]!;
    const handle = nextGeneration(-memory[timer + HANDLE]!, this.#mask);
    memory[timer + HANDLE] = handle;
    memory[timer + DEADLINE] = tick;
    append(memory, list, timer);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    const timer = (handle & this.#mask) * WORDS;
    // A free timer holds a number that is not positive. The sign is tested because that must not pass for a handle. The
    // bound is tested because the place of a number that was never a handle may be that of a list.
    if (handle <= 0 || timer >= this.#capacity * WORDS || this.#memory[timer + HANDLE] !== handle)
      return false;
    this.#remove(timer);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    const timer = (handle & this.#mask) * WORDS;
    if (handle <= 0 || timer >= this.#capacity * WORDS || this.#memory[timer + HANDLE] !== handle)
      return false;
    const list = this.#listFor(tick);
    const memory = this.#memory;
    const ended = unlink(memory, timer);
    memory[timer + DEADLINE] = tick;
    append(memory, list, timer);
    if (ended !== NO_LIST && ended !== list) this.#end(ended);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.#memory;
    const heap = this.#heap;
    const limit = Math.min(budget, out.length);
    const target = ((now - this.#clock) | 0) > 0 ? now | 0 : this.#clock;
    let count = 0;
    while (count < limit) {
      if (this.#lists === 0 || ((target - heap[DEADLINE]!) | 0) < 0) {
        this.#clock = target;
        break;
      }
      const deadline = this.#soonest();
      if (((target - deadline) | 0) < 0) continue;
      this.#clock = deadline;
      const timer = memory[heap[LIST]! + NEXT]!;
      out[count++] = memory[timer + HANDLE]!;
      this.#remove(timer);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    return this.#lists === 0 ? undefined : this.#soonest();
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  /** Takes out a live timer. */
  #remove(timer: number): void {
    const memory = this.#memory;
    const ended = unlink(memory, timer);
    memory[timer + HANDLE] = -memory[timer + HANDLE]!;
    memory[timer + NEXT] = this.#free;
    this.#free = timer;
    this.#size--;
    if (ended !== NO_LIST) this.#end(ended);
  }

  /** The deadline of the timer due first, whose list is then in front. There must be a list. */
  #soonest(): number {
    const memory = this.#memory;
    const heap = this.#heap;
    for (;;) {
      const list = heap[LIST]!;
      const deadline = memory[memory[list + NEXT]! + DEADLINE]!;
      if (heap[DEADLINE] === deadline) return deadline;
      // Later than it was said to be: timers leave a list in front and join it at the end.
      sink(memory, heap, this.#lists, 0, list, deadline);
    }
  }

  /** The list that a timer due at `deadline` joins now; begun, and for the moment empty, if there is none. */
  #listFor(deadline: number): number {
    const delay = (deadline - this.#clock) | 0;
    const memory = this.#memory;
    const table = this.#table;
    const last = table.length - 1;
    let cell = Math.imul(delay, HASH_FACTOR) >>> this.#shift;
    for (; table[cell] !== NO_LIST; cell = (cell + 1) & last) {
      const list = table[cell]!;
      if (memory[list + DELAY] === delay) return list;
    }
    if (this.#lists * ENTRY_WORDS === this.#heap.length) {
      this.#grow();
      return this.#listFor(deadline);
    }
    const position = this.#lists++;
    const list = this.#heap[position * ENTRY_WORDS + LIST]!;
    table[cell] = list;
    memory[list + DELAY] = delay;
    memory[list + NEXT] = list;
    memory[list + PREVIOUS] = list;
    rise(memory, this.#heap, position, list, deadline);
    return list;
  }

  /** Takes an empty list out of the table and the heap. */
  #end(list: number): void {
    const memory = this.#memory;
    const heap = this.#heap;
    const table = this.#table;
    const last = table.length - 1;
    let hole = Math.imul(memory[list + DELAY]!, HASH_FACTOR) >>> this.#shift;
    while (table[hole] !== list) hole = (hole + 1) & last;
    // A list behind the hole moves into it unless that is before the cell from which a search for it starts.
    for (let cell = (hole + 1) & last; table[cell] !== NO_LIST; cell = (cell + 1) & last) {
      const start = Math.imul(memory[table[cell]! + DELAY]!, HASH_FACTOR) >>> this.#shift;
      if (((cell - start) & last) < ((cell - hole) & last)) continue;
      table[hole] = table[cell]!;
      hole = cell;
    }
    table[hole] = NO_LIST;

    const position = memory[list + POSITION]!;
    const deadline = heap[position * ENTRY_WORDS + DEADLINE]!;
    const end = --this.#lists * ENTRY_WORDS;
    const moved = heap[end + LIST]!;
    const movedDeadline = heap[end + DEADLINE]!;
    heap[end + LIST] = list;
    if (moved === list) return;
    // What stood here was no sooner than its parent and no later than its children: only one side can be wrong.
    if (((movedDeadline - deadline) | 0) < 0) rise(memory, heap, position, moved, movedDeadline);
    else sink(memory, heap, this.#lists, position, moved, movedDeadline);
  }

  /** Makes room for twice as many lists; all existing ones are in use. */
  #grow(): void {
    const lists = this.#lists;
    const memory = new Int32Array((this.#capacity + 2 * lists) * WORDS);
    const heap = new Int32Array(2 * lists * ENTRY_WORDS);
    const table = new Int32Array(4 * lists);
    memory.set(this.#memory);
    heap.set(this.#heap);
    this.#memory = memory;
    this.#heap = heap;
    this.#table = table;
    this.#shift--;
    this.#offerLists(lists);
    for (let position = 0; position < lists; position++) {
      const list = heap[position * ENTRY_WORDS + LIST]!;
      let cell = Math.imul(memory[list + DELAY]!, HASH_FACTOR) >>> this.#shift;
      while (table[cell] !== NO_LIST) cell = (cell + 1) & (table.length - 1);
      table[cell] = list;
    }
  }

  /** Writes the names of the lists from number `from` on behind those in use. */
  #offerLists(from: number): void {
    const end = this.#heap.length / ENTRY_WORDS;
    for (let number = from; number < end; number++) {
      this.#heap[number * ENTRY_WORDS + LIST] = (this.#capacity + number) * WORDS;
    }
  }
}

function append(memory: Int32Array, list: number, timer: number): void {
  const previous = memory[list + PREVIOUS]!;
  memory[timer + NEXT] = list;
  memory[timer + PREVIOUS] = previous;
  memory[previous + NEXT] = timer;
  memory[list + PREVIOUS] = timer;
}

/** Takes a timer out of its list. Returns the list if that leaves it empty, else NO_LIST. */
function unlink(memory: Int32Array, timer: number): number {
  const next = memory[timer + NEXT]!;
  const previous = memory[timer + PREVIOUS]!;
  memory[next + PREVIOUS] = previous;
  memory[previous + NEXT] = next;
  // Both neighbours can only be the same one where both are the list.
  return next === previous ? next : NO_LIST;
}

/** Puts a list at a position or, while its parent would be due later, at the parent's, which moves down. */
function rise(memory: Int32Array, heap: Int32Array, start: number, list: number, deadline: number): void {
  let position = start;
  while (position > 0) {
    const parent = (position - 1) >>> 1;
    const parentDeadline = heap[parent * ENTRY_WORDS + DEADLINE]!;
    if (((parentDeadline - deadline) | 0) <= 0) break;
    put(memory, heap, position, heap[parent * ENTRY_WORDS + LIST]!, parentDeadline);
    position = parent;
  }
  put(memory, heap, position, list, deadline);
}

/** Puts a list at a position or, while a child would be due sooner, at the sooner child's, which moves up. */
function sink(
  memory: Int32Array,
  heap: Int32Array,
  lists: number,
  start: number,
  list: number,
  deadline: number,
): void {
  let position = start;
  for (let child = 2 * start + 1; child < lists; child = 2 * position + 1) {
    let soonest = heap[child * ENTRY_WORDS + DEADLINE]!;
    if (child + 1 < lists) {
      const rightDeadline = heap[(child + 1) * ENTRY_WORDS + DEADLINE]!;
      if (((rightDeadline - soonest) | 0) < 0) {
        child++;
        soonest = rightDeadline;
      }
    }
    if (((soonest - deadline) | 0) >= 0) break;
    put(memory, heap, position, heap[child * ENTRY_WORDS + LIST]!, soonest);
    position = child;
  }
  put(memory, heap, position, list, deadline);
}

function put(memory: Int32Array, heap: Int32Array, position: number, list: number, deadline: number): void {
  heap[position * ENTRY_WORDS + DEADLINE] = deadline;
  heap[position * ENTRY_WORDS + LIST] = list;
  memory[list + POSITION] = position;
}
