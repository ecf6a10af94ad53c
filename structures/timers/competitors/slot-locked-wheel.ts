import testAndTestAndSet from "../../locks/competitors/test-and-test-and-set.ts";
import type { Lock } from "../../locks/locks.contract.ts";
import type { Region } from "../../shared/layout.ts";
import { full, nextGeneration, placeMask } from "../parts/handles.ts";
import { MOST_READ } from "../parts/slot-lists.ts";
import { deadlineTick } from "../parts/ticks.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * One hashed timing wheel for all workers, with a lock in the head of each of its 2^16 one-tick slots. Workers that
 * change timers of different ticks do not wait for each other.
 *
 * Promise: everything the contract asks, of a crew too; order fifo; never late. Any advance reports what is due,
 *   whichever worker added it. Of cancel, refresh and report of a timer the lock of its slot decides.
 * Progress: blocking: for a slot, for the list of free places (add and cancel), and for one advance at a time.
 * Threads: any worker that attached.
 * Cost: cancel, and refresh within a slot, one compareExchange and one atomic store; refresh between slots two of each.
 *   A slot that comes into use or goes out of it costs one more; add and cancel a lock more. Lists are rings, so a
 *   change touches up to four neighbours. advance costs a load of the bitmap per 32 ticks twice, and visits every timer
 *   of a slot that it passes. To where the clock already is, it costs two loads. nextExpiry takes each slot before the
 *   nearest deadline, and reads at most 16,384 timers.
 * Memory: 16 bytes per place, and 271 kB for the slots, whatever the crew.
 * Limits: servers set most timers to now + T: to one slot, and then all wait for its lock after all. A worker that dies
 *   inside stops every other that needs what it held. Timers more than 65,536 ticks ahead are visited once a rotation.
 *   While others change timers, nextExpiry may miss one that is moved meanwhile; while another advances, it may be the
 *   clock itself.
 * Bet: loses to the one lock. What is hot is one slot, the list of free places and the clock, and none of them is split
 *   by splitting the slots.
 * Source: Varghese & Lauck (1987), section on symmetric multiprocessing; the ring is a textbook's.
 *
 *     word 0          CLOCK      tick                        written by the holder of ADVANCING, read by all, atomically
 *     word 1          SWEPT      all that was due until      the same
 *                                then is reported
 *     word 32         ADVANCING  lock of the worker that advances  see locks/test-and-test-and-set
 *     word 64         PLACES     lock of the free places     the same
 *     word 65         FREE       first free record           by the holder of PLACES, plainly
 *     word 66         LIVE       timers                      written by the holder of PLACES, read by all, atomically
 *     BITS   2,048    bit s & 31 of word s >>> 5: slot s is not empty, or is about to be filled
 *                                                            written by the holder of slot s, read by the worker that advances,
 *                                                            atomically
 *     HEADS 65,536    the newest record of slot s, or -1 while a worker holds the slot; read and written by all,
 *                                                            atomically; a waiter polls it
 *     RECORDS         4 words per place: what is live belongs to the holder of the slot of its deadline, what is free to
 *                     the holder of PLACES, and what was taken from there to the worker that took it
 *       +0  due       tick; also read plainly by a worker that looks for the slot to hold
 *       +1  handle    while live; while free, the last handle negated, or minus the place before the first; also read
 *                     plainly by a worker with a handle that may be dead
 *       +2  next      record, older in the same slot, after the oldest the newest; while free, the next free record
 *       +3  previous  record, newer in the same slot, before the newest the oldest
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record.
 *
 * Order of locks. refresh holds the slot that a timer leaves and the one it comes to at once, so the timer is never
 * seen in neither. It takes the lower one first. ADVANCING comes before a slot. Only a worker that holds no slot takes
 * PLACES.
 *
 * A clock that moves and a timer that is set. Suppose add looked at the clock and then linked a timer to a slot that an
 * advance had passed in between. The timer would wait for a rotation. So a worker that links first sets the slot's bit
 * and then looks at the clock. A worker that advances first stores the clock and then looks at the bits. One of them
 * sees the other. A timer found to be behind the clock goes to clock + 1, as the contract has it.
 */
export default {
  summary: "one shared hashed wheel with a spin lock in each slot's head; advances one at a time",
  source: "Varghese & Lauck (1987), scheme 6 and symmetric multiprocessing",
  progress: "blocking",
  order: "fifo",
  expiry: "advance",
  callers: "crew",
  lateness: () => 0,

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    testAndTestAndSet.format(memory.subarray(ADVANCING, ADVANCING + 1));
    testAndTestAndSet.format(memory.subarray(PLACES, PLACES + 1));
    memory[FREE] = RECORDS;
    for (let place = 0; place < capacity; place++) {
      const record = RECORDS + place * RECORD_WORDS;
      memory[record + DEADLINE] = 0;
      memory[record + HANDLE] = -place;
      memory[record + NEXT] = place + 1 < capacity ? record + RECORD_WORDS : NONE;
    }
  },

  attach: (memory, capacity) => new SlotLockedWheel(memory, capacity),
} satisfies TimersCompetitor;

/** A rotation of 65.5 s at a tick of 1 ms, as in hashed-wheel. */
const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;

const CLOCK = 0;
const SWEPT = 1;
const ADVANCING = 32;
const PLACES = 64;
const FREE = 65;
const LIVE = 66;
const BITS = 96;
const BIT_WORDS = SLOTS / 32;
const HEADS = BITS + BIT_WORDS;
const RECORDS = HEADS + SLOTS;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const NEXT = 2;
const PREVIOUS = 3;
const NONE = 0;
/** In a head: some worker holds the slot. */
const TAKEN = -1;

const FAR = 0x7fff_ffff;

class SlotLockedWheel implements TimerSet {
  readonly #memory: Region;
  readonly #capacity: number;
  readonly #mask: number;
  readonly #advancing: Lock;
  readonly #places: Lock;
  /** The sweep in progress: the records that it freed, newest first, and how many. */
  #freed = NONE;
  #oldestFreed = NONE;
  #freedCount = 0;
  /** Ticks from the clock to the nearest due that the last sweep saw and left, FAR if it saw none. */
  #nearest = FAR;
  /** Whether the last sweep came to its end, and not to the limit. */
  #isSwept = true;

  constructor(memory: Region, capacity: number) {
    this.#memory = memory;
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#advancing = testAndTestAndSet.attach(memory.subarray(ADVANCING, ADVANCING + 1));
    this.#places = testAndTestAndSet.attach(memory.subarray(PLACES, PLACES + 1));
  }

  add(deadline: number): number {
    const memory = this.#memory;
    let tick = deadlineTick(Atomics.load(memory, CLOCK), deadline);
    const record = this.#takePlace();
    const handle = nextGeneration(-memory[record + HANDLE]!, this.#mask);
    for (;;) {
      const slot = tick & SLOT_MASK;
      const head = hold(memory, slot);
      if (head === NONE) setBit(memory, slot);
      const clock = Atomics.load(memory, CLOCK);
      if (((tick - clock) | 0) > 0) {
        memory[record + DEADLINE] = tick;
        memory[record + HANDLE] = handle;
        letGo(memory, slot, joined(memory, record, head));
        return handle;
      }
      if (head === NONE) clearBit(memory, slot);
      letGo(memory, slot, head);
      tick = (clock + 1) | 0;
    }
  }

  cancel(handle: number): boolean {
    const memory = this.#memory;
    const record = RECORDS + (handle & this.#mask) * RECORD_WORDS;
    while (this.#isCurrent(record, handle)) {
      // Plainly: the slot it names, if it is an old one, is found out under its lock.
      const slot = memory[record + DEADLINE]! & SLOT_MASK;
      const head = hold(memory, slot);
      if (isIn(memory, record, handle, slot)) {
        memory[record + HANDLE] = -handle;
        letGoOf(memory, slot, parted(memory, record, head));
        this.#givePlaces(record, record, 1);
        return true;
      }
      letGo(memory, slot, head);
    }
    return false;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.#memory;
    const record = RECORDS + (handle & this.#mask) * RECORD_WORDS;
    for (;;) {
      const tick = deadlineTick(Atomics.load(memory, CLOCK), deadline);
      if (!this.#isCurrent(record, handle)) return false;
      // Plainly, as in cancel.
      const from = memory[record + DEADLINE]! & SLOT_MASK;
      const to = tick & SLOT_MASK;
      if (from === to ? moveWithin(memory, record, handle, tick) : move(memory, record, handle, from, tick)) {
        return true;
      }
    }
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.#memory;
    // In this order: what is swept when the second is read was at least the clock that the first read, and `now`.
    const seen = Atomics.load(memory, CLOCK);
    if (((now - seen) | 0) <= 0 && ((Atomics.load(memory, SWEPT) - seen) | 0) >= 0) return 0;
    const limit = Math.min(budget, out.length);
    this.#advancing.lock();
    // Plainly: only the holder of ADVANCING writes them.
    let clock = memory[CLOCK]!;
    let swept = memory[SWEPT]!;
    let count = 0;
    // Ticks passed since something was due, and the nearest due met on them, in ticks from the clock of that moment.
    let barren = 0;
    let nearest = FAR;
    for (;;) {
      if (swept !== clock) {
        const before = count;
        count = this.#sweep(swept, clock, out, count, limit);
        if (!this.#isSwept) break;
        const step = (clock - swept) >>> 0;
        swept = clock;
        Atomics.store(memory, SWEPT, swept);
        barren = count > before ? 0 : barren + step;
        nearest = Math.min(count > before ? FAR : nearest - step, this.#nearest);
      }
      const ahead = (now - clock) | 0;
      if (count >= limit || ahead <= 0) break;
      // Where to go next is a guess from what is seen now, made so that a single worker meets one deadline at a time.
      // What others change meanwhile is found by the sweep, after the clock has kept them from coming behind it.
      const step = ahead === 1 ? 1 : occupied(memory, clock, Math.min(ahead, SLOTS));
      if (step === NOWHERE) clock = now | 0;
      else if (barren >= SLOTS && nearest > 1) {
        // A whole rotation on which nothing was due has met every timer: go straight to the nearest, as in
        // hashed-wheel.
        clock = (clock + Math.min(ahead, nearest - 1)) | 0;
        barren = 0;
        nearest = FAR;
      } else clock = (clock + step) | 0;
      Atomics.store(memory, CLOCK, clock);
    }
    this.#advancing.unlock();
    if (this.#freedCount > 0) {
      this.#givePlaces(this.#freed, this.#oldestFreed, this.#freedCount);
      this.#freedCount = 0;
      this.#freed = NONE;
    }
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.#memory;
    if (Atomics.load(memory, LIVE) === 0) return undefined;
    const clock = Atomics.load(memory, CLOCK);
    if (isLeftOver(memory, Atomics.load(memory, SWEPT), clock)) return clock;
    const ticks = ticksToExpiry(memory, clock);
    return ticks === FAR ? undefined : (clock + ticks) | 0;
  }

  get size(): number {
    return Atomics.load(this.#memory, LIVE);
  }

  get clock(): number {
    return Atomics.load(this.#memory, CLOCK);
  }

  /**
   * Whether the handle may be live. A plain load. A worker with a handle got it, through Atomics, from one that had
   * added it, so it cannot read an older value. A later value says that the handle is dead, for good. A free record's
   * own content must not pass for a handle, and a place beyond the capacity reads undefined.
   */
  #isCurrent(record: number, handle: number): boolean {
    return this.#memory[record + HANDLE] === handle && handle > 0;
  }

  /** Takes a free record. Throws a RangeError where there is none. */
  #takePlace(): number {
    const memory = this.#memory;
    this.#places.lock();
    const record = memory[FREE]!;
    if (record !== NONE) {
      memory[FREE] = memory[record + NEXT]!;
      Atomics.store(memory, LIVE, memory[LIVE]! + 1);
    }
    this.#places.unlock();
    if (record === NONE) throw full(this.#capacity);
    return record;
  }

  /** Gives back records that are in no slot, linked from the first to the last. */
  #givePlaces(first: number, last: number, count: number): void {
    const memory = this.#memory;
    this.#places.lock();
    memory[last + NEXT] = memory[FREE]!;
    memory[FREE] = first;
    Atomics.store(memory, LIVE, memory[LIVE]! - count);
    this.#places.unlock();
  }

  /**
   * Reports what is due at `clock` in the slots of the ticks after `swept` until `clock`, to `out` from index `count`
   * up to `limit`. Returns the new count. For the holder of ADVANCING.
   */
  #sweep(swept: number, clock: number, out: Int32Array, count: number, limit: number): number {
    const memory = this.#memory;
    const span = Math.min((clock - swept) >>> 0, SLOTS);
    this.#nearest = FAR;
    this.#isSwept = true;
    let reported = count;
    for (let passed = 0; passed < span && this.#isSwept; ) {
      const step = occupied(memory, (swept + passed) | 0, span - passed);
      if (step === NOWHERE) break;
      passed += step;
      reported = this.#visit((swept + passed) & SLOT_MASK, clock, out, reported, limit);
    }
    return reported;
  }

  /** The same for one slot, from its oldest timer to its newest. */
  #visit(slot: number, clock: number, out: Int32Array, count: number, limit: number): number {
    const memory = this.#memory;
    const newest = hold(memory, slot);
    let reported = count;
    let head = newest;
    // A bit may be set for a timer that went elsewhere: then there is nothing here, and no bit any more.
    for (let record = newest === NONE ? NONE : memory[newest + PREVIOUS]!; record !== NONE; ) {
      const newer = record === newest ? NONE : memory[record + PREVIOUS]!;
      const wait = (memory[record + DEADLINE]! - clock) | 0;
      if (wait > 0) this.#nearest = Math.min(this.#nearest, wait);
      else if (reported === limit) {
        this.#isSwept = false;
        break;
      } else {
        const handle = memory[record + HANDLE]!;
        out[reported++] = handle;
        memory[record + HANDLE] = -handle;
        head = parted(memory, record, head);
        if (this.#freedCount++ === 0) this.#oldestFreed = record;
        memory[record + NEXT] = this.#freed;
        this.#freed = record;
      }
      record = newer;
    }
    if (newest === NONE) letGo(memory, slot, NONE);
    else letGoOf(memory, slot, head);
    return reported;
  }
}

/** Waits until no worker holds a slot, and takes it; returns its newest record. */
function hold(memory: Region, slot: number): number {
  const word = HEADS + slot;
  // Plainly: compareExchange finds out if it is an old value, and a waiter polls atomically.
  let head = memory[word]!;
  for (;;) {
    if (head === TAKEN) head = Atomics.load(memory, word);
    else {
      const found = Atomics.compareExchange(memory, word, head, TAKEN);
      if (found === head) return head;
      head = found;
    }
  }
}

function letGo(memory: Region, slot: number, head: number): void {
  Atomics.store(memory, HEADS + slot, head);
}

/** The same for a slot that something was taken from. */
function letGoOf(memory: Region, slot: number, head: number): void {
  if (head === NONE) clearBit(memory, slot);
  letGo(memory, slot, head);
}

/** For the holder of the slot, as all that follow but `occupied`. */
function setBit(memory: Region, slot: number): void {
  Atomics.or(memory, BITS + (slot >>> 5), 1 << slot);
}

function clearBit(memory: Region, slot: number): void {
  Atomics.and(memory, BITS + (slot >>> 5), ~(1 << slot));
}

/** Whether a record is that of a live timer and in the slot, which is held. */
function isIn(memory: Region, record: number, handle: number, slot: number): boolean {
  return memory[record + HANDLE] === handle && (memory[record + DEADLINE]! & SLOT_MASK) === slot;
}

/** Puts a record into the ring that begins at `head`, as its newest; returns the new head. */
function joined(memory: Region, record: number, head: number): number {
  const oldest = head === NONE ? record : memory[head + PREVIOUS]!;
  memory[record + NEXT] = head === NONE ? record : head;
  memory[record + PREVIOUS] = oldest;
  if (head !== NONE) {
    memory[oldest + NEXT] = record;
    memory[head + PREVIOUS] = record;
  }
  return record;
}

/** Takes a record out of the ring that begins at `head`; returns the new head. */
function parted(memory: Region, record: number, head: number): number {
  const next = memory[record + NEXT]!;
  if (next === record) return NONE;
  const previous = memory[record + PREVIOUS]!;
  memory[previous + NEXT] = next;
  memory[next + PREVIOUS] = previous;
  return head === record ? next : head;
}

/** Makes a timer the newest of the slot that it is in; false if it is not there any more, or `tick` has come. */
function moveWithin(memory: Region, record: number, handle: number, tick: number): boolean {
  const slot = tick & SLOT_MASK;
  let head = hold(memory, slot);
  const isMoving = isIn(memory, record, handle, slot) && ((tick - Atomics.load(memory, CLOCK)) | 0) > 0;
  if (isMoving) {
    memory[record + DEADLINE] = tick;
    head = joined(memory, record, parted(memory, record, head));
  }
  letGo(memory, slot, head);
  return isMoving;
}

/** Moves a timer to another slot; false if it is not in `from` any more, or `tick` has come. */
function move(memory: Region, record: number, handle: number, from: number, tick: number): boolean {
  const to = tick & SLOT_MASK;
  const low = hold(memory, Math.min(from, to));
  const high = hold(memory, Math.max(from, to));
  const left = from < to ? low : high;
  const come = from < to ? high : low;
  if (isIn(memory, record, handle, from)) {
    if (come === NONE) setBit(memory, to);
    if (((tick - Atomics.load(memory, CLOCK)) | 0) > 0) {
      const rest = parted(memory, record, left);
      memory[record + DEADLINE] = tick;
      letGo(memory, to, joined(memory, record, come));
      letGoOf(memory, from, rest);
      return true;
    }
    if (come === NONE) clearBit(memory, to);
  }
  letGo(memory, to, come);
  letGo(memory, from, left);
  return false;
}

/** Whether any timer in the slots of the ticks after `swept` until `clock` is due. */
function isLeftOver(memory: Region, swept: number, clock: number): boolean {
  const span = Math.min((clock - swept) >>> 0, SLOTS);
  for (let passed = 0; passed < span; ) {
    const step = occupied(memory, (swept + passed) | 0, span - passed);
    if (step === NOWHERE) return false;
    passed += step;
    if (isAnyDue(memory, (swept + passed) & SLOT_MASK, clock)) return true;
  }
  return false;
}

function isAnyDue(memory: Region, slot: number, clock: number): boolean {
  const newest = hold(memory, slot);
  let isDue = false;
  for (let record = newest; record !== NONE && !isDue; ) {
    isDue = ((memory[record + DEADLINE]! - clock) | 0) <= 0;
    record = memory[record + NEXT] === newest ? NONE : memory[record + NEXT]!;
  }
  letGo(memory, slot, newest);
  return isDue;
}

/** As parts/slot-lists.ts has it, but that each slot is held while it is read. FAR if all are empty. */
function ticksToExpiry(memory: Region, clock: number): number {
  let nearest = FAR;
  let left = MOST_READ;
  let step = occupied(memory, clock, SLOTS);
  for (let onward = step; onward !== NOWHERE && step < nearest; step += onward) {
    const slot = (clock + step) & SLOT_MASK;
    const newest = hold(memory, slot);
    let record = newest;
    for (; record !== NONE && left > 0; left--) {
      // What another worker's advance has not reported yet is due at once.
      nearest = Math.min(nearest, Math.max(0, (memory[record + DEADLINE]! - clock) | 0));
      record = memory[record + NEXT] === newest ? NONE : memory[record + NEXT]!;
    }
    letGo(memory, slot, newest);
    if (record !== NONE) return Math.min(nearest, step);
    onward = occupied(memory, (clock + step) | 0, SLOTS - step);
  }
  return nearest;
}

const NOWHERE = 0;

/**
 * Ticks from `clock` to the next slot that is not empty, 1 .. limit; NOWHERE if there is none so near. The loads are
 * atomic because those of a sweep must not be made before the store of its clock.
 */
function occupied(memory: Region, clock: number, limit: number): number {
  const first = (clock + 1) & SLOT_MASK;
  let word = first >>> 5;
  let bits = Atomics.load(memory, BITS + word) >>> first;
  let distance = 1;
  if (bits === 0) {
    distance += 32 - (first & 31);
    while (distance <= limit) {
      word = (word + 1) & (BIT_WORDS - 1);
      bits = Atomics.load(memory, BITS + word);
      if (bits !== 0) break;
      distance += 32;
    }
    if (bits === 0) return NOWHERE;
  }
  distance += 31 - Math.clz32(bits & -bits);
  return distance <= limit ? distance : NOWHERE;
}
