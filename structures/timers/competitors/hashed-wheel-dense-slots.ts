import { occupied } from "../parts/bitmap.ts";
import { full, nextGeneration, placeMask } from "../parts/handles.ts";
import { NOTHING_NEAR } from "../parts/scans.ts";
import { MOST_READ } from "../parts/slot-lists.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * The wheel of hashed-wheel.ts with a dense array of places per slot instead of a linked list. A timer knows its slot
 * and its index there, and the last of the slot takes the place of one that leaves.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free, but for the runtime's allocation when a slot grows.
 * Threads: one; every attach is a set of its own.
 * Cost: add writes the timer's record, its slot's count and the end of its slot. cancel and refresh also touch the
 *   record of the slot's last timer. advance reads the deadline of every timer of a slot that it passes, also of later
 *   rotations. Empty slots cost one bit each, 32 at a time. nextExpiry as hashed-wheel.ts.
 * Memory: private. 16 bytes per place, 3 MB for the slots. Each slot keeps the most room that it ever needed, some 150
 *   bytes once it was used.
 * Limits: the limits of hashed-wheel.ts. The room of a slot that was once full is never given back.
 * Bet: loses to lists, since it writes to a slot's array and count where lists write to neighbours. If it wins, the
 *   reason is that a visit to a slot reads all its timers at once, where a list yields one after the other.
 * Source: hashed-wheel.ts; swapping the last into the hole is common knowledge (Varghese & Lauck only have lists).
 */
export default {
  ...privateToThread,
  summary:
    "the hashed wheel with dense, growing arrays of places as slots; cancel swaps the last into the hole",
  source: "hashed-wheel; swap-remove arrays",
  variantOf: "hashed-wheel",
  order: "deadline",
  attach: (_memory, capacity) => new HashedWheelDenseSlots(capacity),
} satisfies TimersCompetitor;

/** A rotation of 65.5 s at a tick of 1 ms: longer than the usual server timeouts of 30 s and 60 s. */
const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;
/** One slot more than the clock can reach, for timers that are due and not yet reported. */
const EXPIRING = SLOTS;
const BITS = 0;

/** Offsets in a timer's record. A record is named by the index of its first word. */
const RECORD_WORDS = 4;
const DEADLINE = 0;
/** While live; while free, the last handle negated, or minus the place before the first. */
const HANDLE = 1;
const SLOT = 2;
/** Index in the slot's array; while free, the next free record. */
const INDEX = 3;
const NONE = -1;

export class HashedWheelDenseSlots implements TimerSet {
  readonly #capacity: number;
  readonly #mask: number;
  readonly #records: Int32Array;
  /** Records by slot; only the first `#counts` of each are in use. Never shortened, so that a slot grows once. */
  readonly #slots: number[][];
  readonly #counts = new Int32Array(SLOTS + 1);
  /** The bit of EXPIRING lies beyond those of the wheel, where putting may set it and no search sees it. */
  readonly #bits = new Int32Array(SLOTS / 32 + 1);
  #free = 0;
  #size = 0;
  #clock = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#slots = Array.from({ length: SLOTS + 1 }, () => []);
    this.#records = new Int32Array(capacity * RECORD_WORDS);
    for (let place = 0; place < capacity; place++) {
      const record = place * RECORD_WORDS;
      this.#records[record + HANDLE] = -place;
      this.#records[record + INDEX] = place + 1 < capacity ? record + RECORD_WORDS : NONE;
    }
  }

  add(deadline: number): number {
    const records = this.#records;
    const tick = deadlineTick(this.#clock, deadline);
    const record = this.#free;
    if (record === NONE) throw full(this.#capacity);
    this.#free = records[record + INDEX]!;
    const handle = nextGeneration(-records[record + HANDLE]!, this.#mask);
    records[record + HANDLE] = handle;
    records[record + DEADLINE] = tick;
    this.#put(record, tick & SLOT_MASK);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    const record = (handle & this.#mask) * RECORD_WORDS;
    // As in hashed-wheel.ts: what a free record or no record holds equals no positive handle.
    if (this.#records[record + HANDLE] !== handle || handle <= 0) return false;
    this.#remove(record);
    this.#release(record);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    const record = (handle & this.#mask) * RECORD_WORDS;
    if (this.#records[record + HANDLE] !== handle || handle <= 0) return false;
    this.#remove(record);
    this.#records[record + DEADLINE] = tick;
    this.#put(record, tick & SLOT_MASK);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    let count = this.#report(out, 0, limit);
    // Ticks passed since something was due, and the nearest due met on them, in ticks from the clock of that moment.
    let barren = 0;
    let nearest = 0;
    while (count < limit) {
      const ahead = (now - this.#clock) | 0;
      if (ahead <= 0) break;
      const step = occupied(this.#bits, BITS, SLOTS, this.#clock, Math.min(ahead, SLOTS));
      if (step === NOWHERE) {
        // Nothing is due before `now`; or, where `now` is more than a rotation ahead, there are no timers at all.
        this.#clock = now | 0;
        break;
      }
      const tick = (this.#clock + step) | 0;
      this.#clock = tick;
      barren += step;
      nearest -= step;
      const wait = this.#detach(tick);
      if (wait === 0) {
        count = this.#report(out, count, limit);
        barren = 0;
        continue;
      }
      if (barren === step || wait < nearest) nearest = wait;
      // As in hashed-wheel.ts: after a rotation on which nothing was due, go straight to the nearest.
      if (barren >= SLOTS) {
        const left = (now - tick) | 0;
        this.#clock = (tick + Math.min(left, nearest - 1)) | 0;
        barren = 0;
      }
    }
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    if (this.#counts[EXPIRING] !== 0) return this.#clock;
    return (this.#clock + this.#ticksToExpiry()) | 0;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  /** As parts/slot-lists.ts has it. */
  #ticksToExpiry(): number {
    let nearest = NOTHING_NEAR;
    let left = MOST_READ;
    let step = occupied(this.#bits, BITS, SLOTS, this.#clock, SLOTS);
    for (let onward = step; onward !== NOWHERE && step < nearest; step += onward) {
      const slot = (this.#clock + step) & SLOT_MASK;
      left -= this.#counts[slot]!;
      if (left < 0) return step;
      for (let index = 0; index < this.#counts[slot]!; index++) {
        const record = this.#slots[slot]![index]!;
        nearest = Math.min(nearest, (this.#records[record + DEADLINE]! - this.#clock) | 0);
      }
      onward = occupied(this.#bits, BITS, SLOTS, this.#clock + step, SLOTS - step);
    }
    return nearest;
  }

  #put(record: number, slot: number): void {
    const room = this.#slots[slot]!;
    const index = this.#counts[slot]!;
    if (index < room.length) room[index] = record;
    else room.push(record);
    this.#counts[slot] = index + 1;
    if (index === 0) this.#bits[slot >>> 5] = this.#bits[slot >>> 5]! | (1 << slot);
    this.#records[record + SLOT] = slot;
    this.#records[record + INDEX] = index;
  }

  #remove(record: number): void {
    const slot = this.#records[record + SLOT]!;
    const index = this.#records[record + INDEX]!;
    const room = this.#slots[slot]!;
    const end = this.#counts[slot]! - 1;
    const last = room[end]!;
    room[index] = last;
    this.#records[last + INDEX] = index;
    this.#counts[slot] = end;
    if (end === 0) this.#bits[slot >>> 5] = this.#bits[slot >>> 5]! & ~(1 << slot);
  }

  /** Makes a record that is in no slot free. */
  #release(record: number): void {
    this.#records[record + HANDLE] = -this.#records[record + HANDLE]!;
    this.#records[record + INDEX] = this.#free;
    this.#free = record;
    this.#size--;
  }

  /**
   * Moves the timers due at `tick` from its slot to EXPIRING, where they stay cancellable until they are reported.
   * Returns 0 if any was due, else the ticks from `tick` to the nearest due in the slot, which is not empty.
   */
  #detach(tick: number): number {
    const slot = tick & SLOT_MASK;
    const room = this.#slots[slot]!;
    let nearest = 0x7fff_ffff;
    // From the end, so that what fills a hole has been looked at.
    for (let index = this.#counts[slot]! - 1; index >= 0; index--) {
      const record = room[index]!;
      const wait = (this.#records[record + DEADLINE]! - tick) | 0;
      if (wait === 0) {
        this.#remove(record);
        this.#put(record, EXPIRING);
      }
      if (wait < nearest) nearest = wait;
    }
    return nearest;
  }

  /** Writes the handles of EXPIRING to `out` from index `count` up to `limit`, frees them; returns the new count. */
  #report(out: Int32Array, count: number, limit: number): number {
    const room = this.#slots[EXPIRING]!;
    let left = this.#counts[EXPIRING]!;
    while (left > 0 && count < limit) {
      const record = room[--left]!;
      out[count++] = this.#records[record + HANDLE]!;
      this.#release(record);
    }
    this.#counts[EXPIRING] = left;
    return count;
  }
}

const NOWHERE = 0;
