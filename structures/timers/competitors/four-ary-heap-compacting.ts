import { full, nextGeneration, placeMask } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * The 4-ary heap where cancel only marks. All marked entries, zombies in Go's words, are removed at once when they are
 * more than a quarter of the heap.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's. A cancel or refresh may have to compact. An advance
 *   removes the zombies on its way, at most a third of the capacity, whatever the budget.
 * Threads: one at a time. All state is in the region, so that a lock makes one heap serve many.
 * Cost: cancel marks; add and refresh push at the end, from where an entry due late hardly rises; a report takes
 *   O(log n) steps. A step compares four deadlines that share a line and, unlike in the indexed heap, writes nothing else:
 *   no record has to know a position. Each quarter of n marks, one cancel or refresh takes O(n) steps to compact.
 *   nextExpiry takes out the zombies in front.
 * Memory: 24 bytes per place: 8 for its record, and 12 for an entry and its node. There are a third more entries than
 *   places.
 * Limits: the pause to compact grows with the capacity. The order among timers of one tick is the heap's and means
 *   nothing.
 * Bet: refreshes, almost all to a later deadline, become cheaper than in the indexed heap, which moves each of them to
 *   the bottom. The worst pause becomes the longest of all heaps.
 * Source: Go runtime/time.go, timers.check and timers.adjust. In Go a timer that is moved keeps its entry, to be
 *   corrected later, so only a stopped one leaves a zombie. Here a refresh leaves one too.
 *
 *     word 0                clock, a tick                                    words 4 .. 13  unused, so that four
 *     word 1                entries in the heap                                             children share a line
 *     word 2                zombies among them
 *     word 3                first free record
 *     HEAP   2 words each   the entries as a heap, the one due first in front, its children at 4 i + 1 to 4 i + 4;
 *                           behind them the free nodes
 *       +0  due             tick, while in the heap
 *       +1  node            index of its word
 *     then   NODES          1 word each: handle; 0 for a zombie or while free
 *     then   RECORDS        2 words per place
 *       +0  handle          while live; while free, the last handle negated, or minus the place before the first
 *       +1  node            while live; while free, the next free record
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record. A node stands between record and
 * entry. A cancelled timer's place may have a new timer while the old entry is still in the heap.
 */
export default {
  ...ofOneThread,
  summary: "typed-array 4-ary heap where cancel marks, and compacts when a quarter of the heap is marked",
  source: "Go runtime/time.go",
  variantOf: "four-ary-heap",
  order: "deadline",
  emulates: "no removal: cancel marks, refresh marks and pushes anew",

  words: (capacity) => recordsAt(capacity) + capacity * RECORD_WORDS,

  format(memory, capacity) {
    const entries = mostEntries(capacity);
    const nodes = HEAP + entries * ENTRY_WORDS;
    const records = recordsAt(capacity);
    memory.fill(0, 0, HEAP);
    for (let entry = 0; entry < entries; entry++) memory[HEAP + entry * ENTRY_WORDS + NODE] = nodes + entry;
    memory.fill(ZOMBIE, nodes, records);
    memory[FREE] = records;
    for (let place = 0; place < capacity; place++) {
      const record = records + place * RECORD_WORDS;
      memory[record + HANDLE] = -place;
      memory[record + NODE] = place + 1 < capacity ? record + RECORD_WORDS : NONE;
    }
  },

  attach: (memory, capacity) => new CompactingHeap(memory, capacity),
} satisfies TimersCompetitor;

const CLOCK = 0;
const ENTRIES = 1;
const ZOMBIES = 2;
const FREE = 3;
const HEAP = 14;

const ENTRY_WORDS = 2;
const DEADLINE = 0;

const RECORD_WORDS = 2;
const HANDLE = 0;

/** In an entry and in a record. */
const NODE = 1;

const ZOMBIE = 0;
const NONE = 0;

/**
 * Zombies never exceed a third of the capacity. A mark that makes them more than a quarter of all entries, and so more
 * than a third of the live ones, is followed by a compaction.
 */
function mostEntries(capacity: number): number {
  return capacity + Math.floor(capacity / 3);
}

/** An even word, so that no record spans two lines. */
function recordsAt(capacity: number): number {
  const words = HEAP + mostEntries(capacity) * (ENTRY_WORDS + 1);
  return words + (words & 1);
}

/**
 * Ticks that wrap are compared by their difference, which orders a heap only while all its deadlines lie within 2^31 of
 * each other. They do. add and refresh set them from clock + 1 to clock + 2^30. The clock never passes the deadline of
 * an entry, zombie or not. An advance removes all entries due before the tick at which it leaves the clock.
 */
export class CompactingHeap implements TimerSet {
  readonly #memory: Int32Array;
  readonly #capacity: number;
  readonly #mask: number;
  readonly #records: number;

  constructor(memory: Int32Array, capacity: number) {
    this.#memory = memory;
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#records = recordsAt(capacity);
  }

  add(deadline: number): number {
    const memory = this.#memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = memory[FREE]!;
    if (record === NONE) throw full(this.#capacity);
    memory[FREE] = memory[record + NODE]!;
    const handle = nextGeneration(-memory[record + HANDLE]!, this.#mask);
    memory[record + HANDLE] = handle;
    memory[record + NODE] = push(memory, handle, tick);
    return handle;
  }

  cancel(handle: number): boolean {
    const memory = this.#memory;
    const record = this.#records + (handle & this.#mask) * RECORD_WORDS;
    // A free record holds a number that is not positive, and a place beyond the capacity reads undefined: neither
    // equals a handle. The sign is tested because a free record's own content must not pass for a handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    mark(memory, memory[record + NODE]!);
    release(memory, record);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.#memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = this.#records + (handle & this.#mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    // In this order, because in the other a full set could hold one entry too many.
    mark(memory, memory[record + NODE]!);
    memory[record + NODE] = push(memory, handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.#memory;
    const limit = Math.min(budget, out.length);
    const clock = memory[CLOCK]!;
    const target = ((now - clock) | 0) > 0 ? now | 0 : clock;
    let count = 0;
    while (count < limit) {
      const deadline = memory[HEAP + DEADLINE]!;
      if (memory[ENTRIES] === 0 || ((target - deadline) | 0) < 0) {
        memory[CLOCK] = target;
        break;
      }
      const handle = pop(memory);
      if (handle === ZOMBIE) continue;
      memory[CLOCK] = deadline;
      out[count++] = handle;
      release(memory, this.#records + (handle & this.#mask) * RECORD_WORDS);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.#memory;
    // A zombie in front could be due at the clock, where the contract allows only a timer that a budget left over.
    while (memory[ENTRIES]! > 0 && memory[memory[HEAP + NODE]!] === ZOMBIE) pop(memory);
    return memory[ENTRIES] === 0 ? undefined : memory[HEAP + DEADLINE]!;
  }

  get size(): number {
    return this.#memory[ENTRIES]! - this.#memory[ZOMBIES]!;
  }

  get clock(): number {
    return this.#memory[CLOCK]!;
  }
}

/** Makes a record free. */
function release(memory: Int32Array, record: number): void {
  memory[record + HANDLE] = -memory[record + HANDLE]!;
  memory[record + NODE] = memory[FREE]!;
  memory[FREE] = record;
}

/** Returns the node of the new entry. */
function push(memory: Int32Array, handle: number, deadline: number): number {
  let position = memory[ENTRIES]!;
  memory[ENTRIES] = position + 1;
  const node = memory[HEAP + position * ENTRY_WORDS + NODE]!;
  memory[node] = handle;
  while (position > 0) {
    const parent = (position - 1) >>> 2;
    const parentDeadline = memory[HEAP + parent * ENTRY_WORDS + DEADLINE]!;
    if (((parentDeadline - deadline) | 0) <= 0) break;
    put(memory, position, memory[HEAP + parent * ENTRY_WORDS + NODE]!, parentDeadline);
    position = parent;
  }
  put(memory, position, node, deadline);
  return node;
}

/** Takes out the first entry of a heap that has one, and returns its handle, or ZOMBIE. */
function pop(memory: Int32Array): number {
  const last = memory[ENTRIES]! - 1;
  const entry = HEAP + last * ENTRY_WORDS;
  const node = memory[HEAP + NODE]!;
  const moved = memory[entry + NODE]!;
  memory[ENTRIES] = last;
  memory[entry + NODE] = node;
  if (last > 0) sink(memory, 0, moved, memory[entry + DEADLINE]!);
  const handle = memory[node]!;
  if (handle === ZOMBIE) memory[ZOMBIES] = memory[ZOMBIES]! - 1;
  else memory[node] = ZOMBIE;
  return handle;
}

/** Makes a zombie of a live timer's node. */
function mark(memory: Int32Array, node: number): void {
  memory[node] = ZOMBIE;
  const zombies = memory[ZOMBIES]! + 1;
  memory[ZOMBIES] = zombies;
  if (zombies > memory[ENTRIES]! >>> 2) compact(memory);
}

/** Throws all zombies out. */
function compact(memory: Int32Array): void {
  const entries = memory[ENTRIES]!;
  let kept = 0;
  for (let position = 0; position < entries; position++) {
    const entry = HEAP + position * ENTRY_WORDS;
    const node = memory[entry + NODE]!;
    if (memory[node] === ZOMBIE) continue;
    const hole = HEAP + kept++ * ENTRY_WORDS;
    memory[entry + NODE] = memory[hole + NODE]!;
    memory[hole + NODE] = node;
    memory[hole + DEADLINE] = memory[entry + DEADLINE]!;
  }
  memory[ENTRIES] = kept;
  memory[ZOMBIES] = 0;
  for (let position = (kept - 2) >> 2; position >= 0; position--) {
    const entry = HEAP + position * ENTRY_WORDS;
    sink(memory, position, memory[entry + NODE]!, memory[entry + DEADLINE]!);
  }
}

/** Puts a node at a position or, while a child would be due sooner, at the soonest child's, which moves up. */
function sink(memory: Int32Array, start: number, node: number, deadline: number): void {
  const entries = memory[ENTRIES]!;
  let position = start;
  for (let child = 4 * start + 1; child < entries; child = 4 * position + 1) {
    const end = Math.min(child + 4, entries);
    let soonest = memory[HEAP + child * ENTRY_WORDS + DEADLINE]!;
    for (let other = child + 1; other < end; other++) {
      const otherDeadline = memory[HEAP + other * ENTRY_WORDS + DEADLINE]!;
      if (((otherDeadline - soonest) | 0) < 0) {
        child = other;
        soonest = otherDeadline;
      }
    }
    if (((soonest - deadline) | 0) >= 0) break;
    put(memory, position, memory[HEAP + child * ENTRY_WORDS + NODE]!, soonest);
    position = child;
  }
  put(memory, position, node, deadline);
}

function put(memory: Int32Array, position: number, node: number, deadline: number): void {
  const entry = HEAP + position * ENTRY_WORDS;
  memory[entry + DEADLINE] = deadline;
  memory[entry + NODE] = node;
}
