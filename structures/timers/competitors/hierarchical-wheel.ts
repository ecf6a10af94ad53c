import { occupied } from "../parts/bitmap.ts";
import {
  append,
  detach,
  formatLists,
  formatRecords,
  moveAll,
  release,
  report,
  take,
  unlink,
} from "../parts/records.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A hierarchical timing wheel in one typed array: five levels of 64 slots. A slot of one level spans all 64 of the
 * level below, and a timer moves down a level each time the clock enters its slot.
 *
 * Promise: everything the contract asks; order fifo; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one wheel serve many.
 * Cost: add, cancel and refresh touch the timer's own record, up to two neighbours and its slot. A timer that lives to
 *   its deadline is relinked at most four times on the way. advance and nextExpiry read at most three words per level
 *   to find the next slot, however far away. advance moves a slot of the lowest level at once.
 * Memory: 16 bytes per place, and 2.8 kB for the slots.
 * Limits: nextExpiry takes the start of the slot for the deadline. On entering a slot all its timers move in one
 *   call, which no budget divides.
 * Bet: a table that stays in the first cache beats a flat wheel when timers are few or their delays differ widely. A
 *   heartbeat that is always refreshed never cascades, so the levels cost it nothing.
 * Source: Varghese & Lauck (1987), scheme 7; levels, bitmaps and search from Tokio's runtime/time/wheel.
 *
 *     word 0                clock, a tick                                     words 3 .. 15  unused, so that records
 *     word 1                live timers                                                      stay within one line
 *     word 2                first free record
 *     BITS     16 words     bit s & 31 of word s >>> 5: slot s is not empty, with s = 64 * level + place in the level
 *     HEADS   656 words     oldest and youngest record of slot s; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               4 words per place, as parts/records.ts lays them out, with the deadline first
 *
 * A timer's level is that of the highest digit, in base 64, in which its deadline and the clock differ. That stays so
 * until the clock enters its slot. Hence all timers of one tick are in one list at any time. A slot is passed on from
 * its oldest to its youngest, so fifo needs nothing more. And a slot of a lower level starts before any occupied one of
 * a higher level does.
 */
export default {
  ...ofOneThread,
  summary:
    "five levels of 64 slots with occupancy bitmaps, 2^30 ticks; timers cascade down to one-tick slots",
  source: "Varghese & Lauck (1987), scheme 7; Tokio runtime/time/wheel",
  order: "fifo",

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatLists(memory, LISTS, SLOTS + 1);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new HierarchicalWheel(memory, capacity),
} satisfies TimersCompetitor;

const LEVEL_BITS = 6;
const LEVEL_SLOTS = 2 ** LEVEL_BITS;
const LEVEL_WORDS = LEVEL_SLOTS / 32;
/** 64^5 is 2^30, the horizon. */
const LEVELS = 5;
const SLOTS = LEVELS * LEVEL_SLOTS;

const CLOCK = 0;
const LIVE = 1;
const BITS = 16;
/** The bit of EXPIRING lies beyond those of the levels, where unlinking may clear it and no search sees it. */
const HEADS = BITS + 16;
/** A list is named by the index two below its words. */
const LISTS = HEADS - 2;
const EXPIRING = LISTS + 2 * SLOTS;
const RECORDS = HEADS + 2 * SLOTS + 16;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const NEXT = 2;
const NONE = 0;

export class HierarchicalWheel extends RegionTimers implements TimerSet {
  add(deadline: number): number {
    const memory = this.memory;
    const clock = memory[CLOCK]!;
    const tick = deadlineTick(clock, deadline);
    const record = take(memory, this.capacity, this.mask);
    memory[record + DEADLINE] = tick;
    file(memory, record, tick, clock);
    memory[LIVE] = memory[LIVE]! + 1;
    return memory[record + HANDLE]!;
  }

  cancel(handle: number): boolean {
    const memory = this.memory;
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    // As in hashed-wheel.ts: what a free record or no record holds equals no positive handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    remove(memory, record);
    release(memory, record);
    memory[LIVE] = memory[LIVE]! - 1;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.memory;
    const clock = memory[CLOCK]!;
    const tick = deadlineTick(clock, deadline);
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    remove(memory, record);
    memory[record + DEADLINE] = tick;
    file(memory, record, tick, clock);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const limit = Math.min(budget, out.length);
    let count = report(memory, EXPIRING, out, 0, limit);
    while (count < limit) {
      const clock = memory[CLOCK]!;
      const ahead = (now - clock) | 0;
      if (ahead <= 0) break;
      const step = ticksToSlot(memory, clock, ahead);
      if (step === NOWHERE) {
        memory[CLOCK] = now | 0;
        break;
      }
      const tick = (clock + step) | 0;
      memory[CLOCK] = tick;
      enter(memory, tick);
      count = report(memory, EXPIRING, out, count, limit);
    }
    memory[LIVE] = memory[LIVE]! - count;
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.memory;
    if (memory[LIVE] === 0) return undefined;
    const clock = memory[CLOCK]!;
    return memory[EXPIRING + NEXT] === EXPIRING ? (clock + ticksToSlot(memory, clock, EVER)) | 0 : clock;
  }
}

/** Links a record under its deadline, which is ahead of the clock by no more than the horizon. */
function file(memory: Int32Array, record: number, deadline: number, clock: number): void {
  const digit = ((31 - Math.clz32((clock ^ deadline) | (LEVEL_SLOTS - 1))) / LEVEL_BITS) | 0;
  // The highest level is a circle: what differs above its digit is beyond its turn, but by no more than one.
  const level = Math.min(digit, LEVELS - 1);
  const slot = level * LEVEL_SLOTS + ((deadline >>> (level * LEVEL_BITS)) & (LEVEL_SLOTS - 1));
  append(memory, LISTS + 2 * slot, record);
  memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! | (1 << slot);
}

function remove(memory: Int32Array, record: number): void {
  const emptied = unlink(memory, record);
  if (emptied !== NONE) clear(memory, (emptied - LISTS) >>> 1);
}

function clear(memory: Int32Array, slot: number): void {
  memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! & ~(1 << slot);
}

/**
 * Empties the slot that starts at `tick`, where the clock now stands; it must not be empty. Due timers go to EXPIRING,
 * where they stay cancellable until they are reported, the others to lower levels. Their slots are empty, for a search
 * finds the lowest level first, so what is put there comes in its order.
 */
function enter(memory: Int32Array, tick: number): void {
  // The digits below a slot's own are 0 where it starts. Its own is not 0, except on the highest level, for it is above
  // that of a clock that agrees in all higher ones. The zeros at the end therefore give the level.
  const zeros = 31 - Math.clz32(tick & -tick);
  const level = tick === 0 ? LEVELS - 1 : Math.min((zeros / LEVEL_BITS) | 0, LEVELS - 1);
  const slot = level * LEVEL_SLOTS + ((tick >>> (level * LEVEL_BITS)) & (LEVEL_SLOTS - 1));
  const list = LISTS + 2 * slot;
  clear(memory, slot);
  if (level === 0) {
    moveAll(memory, list, EXPIRING);
    return;
  }
  for (let record = detach(memory, list); record !== list; ) {
    const next = memory[record + NEXT]!;
    const deadline = memory[record + DEADLINE]!;
    if (deadline === tick) append(memory, EXPIRING, record);
    else file(memory, record, deadline, tick);
    record = next;
  }
}

const NOWHERE = 0;
const EVER = 0x7fff_ffff;

/** Ticks from `clock` to the start of the next slot that is not empty, 1 .. limit; NOWHERE if there is none so near. */
function ticksToSlot(memory: Int32Array, clock: number, limit: number): number {
  // If no slot of a level starts so soon, none of a higher level does: the usual single tick ends at once.
  const crossed = clock ^ (clock + limit);
  for (let level = 0; level < LEVELS; level++) {
    const shift = level * LEVEL_BITS;
    if (crossed >>> shift === 0) break;
    const slots = occupied(memory, BITS + level * LEVEL_WORDS, LEVEL_SLOTS, clock >>> shift, LEVEL_SLOTS);
    if (slots === NOWHERE) continue;
    const step = (slots << shift) - (clock & ((1 << shift) - 1));
    return step <= limit ? step : NOWHERE;
  }
  return NOWHERE;
}
