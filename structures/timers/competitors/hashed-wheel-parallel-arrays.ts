import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { occupied } from "../parts/bitmap.ts";
import { full, nextGeneration } from "../parts/handles.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { ticksToExpiry } from "../parts/slot-lists.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * The wheel of hashed-wheel.ts with a timer's four words in four areas, such as one for all deadlines, instead of side
 * by side in one record.
 *
 * Promise: everything the contract asks; order fifo; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one wheel serve many.
 * Cost: as hashed-wheel.ts, except that a timer's own words lie on four lines instead of one, a neighbour's on one as
 *   there.
 * Memory: 16 bytes per place, and 270 kB for the slots whatever the capacity.
 * Limits: the limits of hashed-wheel.ts.
 * Bet: loses as soon as the timers outgrow the cache, by the three lines more that each change misses.
 * Source: hashed-wheel.ts; the layout is the one that falls out of `new Int32Array(n)` per field.
 *
 *     word 0                clock, a tick
 *     word 1                live timers
 *     word 2                first free record
 *     BITS   2,064 words    bit s & 31 of word s >>> 5: slot s is not empty
 *     HEADS 65,552 words    first record of slot s, the newest; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               one word per place in each of four areas, `stride` words apart
 *       +0          due       tick
 *       +stride     next      record, older in the same slot; while free, the next free record
 *       +2 stride   previous  record, newer in the same slot; ~slot where there is none
 *       +3 stride   handle    while live; while free, the last handle negated, or minus the place before the first.
 *                             The last area, so that a place beyond the capacity reads nothing at all
 *
 * A record is named by the index of its deadline, which is never 0: 0 is no record.
 */
export default {
  ...ofOneThread,
  summary: "the hashed wheel with four parallel arrays instead of 16-byte records",
  source: "hashed-wheel; struct of arrays",
  variantOf: "hashed-wheel",
  order: "fifo",

  words: (capacity) => RECORDS + 3 * strideFor(capacity) + capacity,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    memory[FREE] = RECORDS;
    const stride = strideFor(capacity);
    for (let place = 0; place < capacity; place++) {
      const record = RECORDS + place;
      memory[record + stride] = place + 1 < capacity ? record + 1 : NONE;
      memory[record + 3 * stride] = -place;
    }
  },

  attach: (memory, capacity) => new HashedWheelParallelArrays(memory, capacity),
} satisfies TimersCompetitor;

/** A rotation of 65.5 s at a tick of 1 ms: longer than the usual server timeouts of 30 s and 60 s. */
const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;
/** One slot more than the clock can reach, for timers that are due and not yet reported. */
const EXPIRING = SLOTS;

const CLOCK = 0;
const LIVE = 1;
const FREE = 2;
const BITS = 16;
/** The bit of EXPIRING lies beyond the wheel's words, where linking may set it and no search sees it. */
const HEADS = BITS + SLOTS / 32 + 16;
const RECORDS = HEADS + SLOTS + 16;
const NONE = 0;

/**
 * Words from one area to the next: an odd number of 64-byte lines. At a power of two the four words of a timer would
 * compete for one set of the cache, which this file is not to measure.
 */
function strideFor(capacity: number): number {
  return wholeStrides(capacity) + STRIDE_WORDS / 2;
}

export class HashedWheelParallelArrays extends RegionTimers implements TimerSet {
  readonly #stride: number;

  constructor(memory: Int32Array, capacity: number) {
    super(memory, capacity);
    this.#stride = strideFor(capacity);
  }

  add(deadline: number): number {
    const memory = this.memory;
    const stride = this.#stride;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = memory[FREE]!;
    if (record === NONE) throw full(this.capacity);
    memory[FREE] = memory[record + stride]!;
    const handle = nextGeneration(-memory[record + 3 * stride]!, this.mask);
    memory[record + 3 * stride] = handle;
    memory[record] = tick;
    link(memory, stride, record, tick & SLOT_MASK);
    memory[LIVE] = memory[LIVE]! + 1;
    return handle;
  }

  cancel(handle: number): boolean {
    const memory = this.memory;
    const stride = this.#stride;
    const record = RECORDS + (handle & this.mask);
    // As in hashed-wheel.ts: what a free record or no record holds equals no positive handle.
    if (memory[record + 3 * stride] !== handle || handle <= 0) return false;
    unlink(memory, stride, record);
    release(memory, stride, record);
    memory[LIVE] = memory[LIVE]! - 1;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.memory;
    const stride = this.#stride;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = RECORDS + (handle & this.mask);
    if (memory[record + 3 * stride] !== handle || handle <= 0) return false;
    unlink(memory, stride, record);
    memory[record] = tick;
    link(memory, stride, record, tick & SLOT_MASK);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const stride = this.#stride;
    const limit = Math.min(budget, out.length);
    let count = report(memory, stride, out, 0, limit);
    // Ticks passed since something was due, and the nearest due met on them, in ticks from the clock of that moment.
    let barren = 0;
    let nearest = 0;
    while (count < limit) {
      const clock = memory[CLOCK]!;
      const ahead = (now - clock) | 0;
      if (ahead <= 0) break;
      const step = occupied(memory, BITS, SLOTS, clock, Math.min(ahead, SLOTS));
      if (step === NOWHERE) {
        // Nothing is due before `now`; or, where `now` is more than a rotation ahead, there are no timers at all.
        memory[CLOCK] = now | 0;
        break;
      }
      const tick = (clock + step) | 0;
      memory[CLOCK] = tick;
      barren += step;
      nearest -= step;
      const wait = detach(memory, stride, tick);
      if (wait === 0) {
        count = report(memory, stride, out, count, limit);
        barren = 0;
        continue;
      }
      if (barren === step || wait < nearest) nearest = wait;
      // As in hashed-wheel.ts: after a rotation on which nothing was due, go straight to the nearest.
      if (barren >= SLOTS) {
        const left = (now - tick) | 0;
        memory[CLOCK] = (tick + Math.min(left, nearest - 1)) | 0;
        barren = 0;
      }
    }
    memory[LIVE] = memory[LIVE]! - count;
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.memory;
    if (memory[LIVE] === 0) return undefined;
    const clock = memory[CLOCK]!;
    if (memory[HEADS + EXPIRING] !== NONE) return clock;
    return (clock + ticksToExpiry(memory, clock, this.#stride)) | 0;
  }
}

/** Puts a record in front of a slot's list: the newest first, because that touches no record but the one it joins. */
function link(memory: Int32Array, stride: number, record: number, slot: number): void {
  const next = memory[HEADS + slot]!;
  memory[record + stride] = next;
  memory[record + 2 * stride] = ~slot;
  if (next !== NONE) memory[next + 2 * stride] = record;
  else memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! | (1 << slot);
  memory[HEADS + slot] = record;
}

function unlink(memory: Int32Array, stride: number, record: number): void {
  const next = memory[record + stride]!;
  const previous = memory[record + 2 * stride]!;
  if (next !== NONE) memory[next + 2 * stride] = previous;
  if (previous >= 0) {
    memory[previous + stride] = next;
    return;
  }
  const slot = ~previous;
  memory[HEADS + slot] = next;
  if (next === NONE) memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! & ~(1 << slot);
}

/** Makes a record that is in no list free. */
function release(memory: Int32Array, stride: number, record: number): void {
  memory[record + 3 * stride] = -memory[record + 3 * stride]!;
  memory[record + stride] = memory[FREE]!;
  memory[FREE] = record;
}

/**
 * Moves the timers due at `tick` from its slot to EXPIRING, the oldest first. Returns 0 if any was due, else the ticks
 * from `tick` to the nearest due in the slot, which is not empty.
 */
function detach(memory: Int32Array, stride: number, tick: number): number {
  let nearest = 0x7fff_ffff;
  for (let record = memory[HEADS + (tick & SLOT_MASK)]!; record !== NONE; ) {
    const next = memory[record + stride]!;
    const wait = (memory[record]! - tick) | 0;
    if (wait === 0) {
      unlink(memory, stride, record);
      link(memory, stride, record, EXPIRING);
    }
    if (wait < nearest) nearest = wait;
    record = next;
  }
  return nearest;
}

/** Writes the handles of EXPIRING to `out` from index `count` up to `limit`, frees them; returns the new count. */
function report(memory: Int32Array, stride: number, out: Int32Array, count: number, limit: number): number {
  let record = memory[HEADS + EXPIRING]!;
  if (record === NONE) return count;
  while (record !== NONE && count < limit) {
    const next = memory[record + stride]!;
    out[count++] = memory[record + 3 * stride]!;
    release(memory, stride, record);
    record = next;
  }
  memory[HEADS + EXPIRING] = record;
  if (record !== NONE) memory[record + 2 * stride] = ~EXPIRING;
  return count;
}

const NOWHERE = 0;
