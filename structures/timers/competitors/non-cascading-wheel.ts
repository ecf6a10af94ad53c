import { occupied } from "../parts/bitmap.ts";
import {
  append,
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
 * Levels of 64 slots, each level eight times as coarse as the one below. A timer stays in the slot it was put in and is
 * reported when that slot ends, up to an eighth of its delay late.
 *
 * Promise: everything the contract asks; order none. A delay below 63 ticks is exact. One from 63 * 8^(n-1) to 63 * 8^n
 *   - 1 is late by 8^n - 1 ticks at most, which is under 12.7 % of it. It is never early, for slots round up.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one wheel serve many.
 * Cost: add, cancel and refresh touch the timer's own record, up to two neighbours and its slot. A refresh that stays
 *   in its slot writes nothing. No timer is ever moved: advance hands over whole slots, one list at a time. advance and
 *   nextExpiry read at most three words per level to find the next slot, however far away.
 * Memory: 16 bytes per place, and 5.4 kB for the slots.
 * Limits: what is late is late by design: timeouts can bear it, alarms cannot. Timers of one slot are reported in one
 *   go, so a delay of 30 s comes in bursts of half a second's worth.
 * Bet: the cheapest expiry and the smallest table, and the heartbeat of a busy connection mostly lands in the slot
 *   where it is. The only price is lateness.
 * Source: Linux kernel/time/timer.c since 4.8 (Gleixner, 2016): levels, granularities, the start of a level, bitmaps,
 *   and mod_timer's way out for an unchanged slot. Linux has 9 levels at 1,000 Hz and cuts off what is beyond them; a
 *   tenth takes in the horizon here. It rounds up by a whole slot where a deadline fits exactly; here that is exact.
 *
 *     word 0                clock, a tick                                     words 3 .. 15  unused, so that records
 *     word 1                live timers                                                      stay within one line
 *     word 2                first free record
 *     BITS     32 words     bit s & 31 of word s >>> 5: slot s is not empty, with s = 64 * level + place in the level
 *     HEADS 1,296 words     oldest and youngest record of slot s; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               4 words per place, as parts/records.ts lays them out, with the slot first: once it is
 *                           in a slot, nothing asks for a timer's deadline again
 */
export default {
  ...ofOneThread,
  summary:
    "ten levels of 64 slots, each eight times as coarse; no timer ever moves, and is up to 12.7 % late",
  source: "Linux kernel/time/timer.c, 4.8 (2016)",
  variantOf: "hierarchical-wheel",
  order: "none",
  lateness: (delay) => 2 ** (levelOf(delay) * LEVEL_SHIFT) - 1,

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatLists(memory, LISTS, SLOTS + 1);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new NonCascadingWheel(memory, capacity),
} satisfies TimersCompetitor;

/** A slot of a level spans 2^3 slots of the level below. */
const LEVEL_SHIFT = 3;
const LEVEL_SLOTS = 64;
const LEVEL_WORDS = LEVEL_SLOTS / 32;
/** Nine levels end at 63 * 2^24 ticks, which is just short of the horizon of 2^30. */
const LEVELS = 10;
/** Slots of 2^27 ticks: no more than this fit in all the ticks there are. */
const LAST_LEVEL_SLOTS = 32;
const SLOTS = LEVELS * LEVEL_SLOTS;

const CLOCK = 0;
const LIVE = 1;
const BITS = 16;
/** The bit of EXPIRING lies beyond those of the levels, where unlinking may clear it and no search sees it. */
const HEADS = BITS + 32;
/** A list is named by the index two below its words. */
const LISTS = HEADS - 2;
const EXPIRING = LISTS + 2 * SLOTS;
const RECORDS = HEADS + 2 * SLOTS + 16;

const RECORD_WORDS = 4;
const SLOT = 0;
const HANDLE = 1;
const NEXT = 2;
const NONE = 0;

export class NonCascadingWheel extends RegionTimers implements TimerSet {
  add(deadline: number): number {
    const memory = this.memory;
    const clock = memory[CLOCK]!;
    const tick = deadlineTick(clock, deadline);
    const record = take(memory, this.capacity, this.mask);
    link(memory, record, slotOf(tick, clock));
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
    const slot = slotOf(deadlineTick(clock, deadline), clock);
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    // The same slot is the same turn, for no timer lies further ahead than a turn of its level. A timer in EXPIRING
    // still names the slot that it came from, but the clock stands where that slot ended. From there no deadline
    // belongs to the same slot again, since a level takes delays of less than 63 of its slots.
    if (memory[record + SLOT] === slot) return true;
    remove(memory, record);
    link(memory, record, slot);
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
      collect(memory, tick);
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

/**
 * The level for a delay of 1 tick up to the horizon: the lowest that the delay spans less than 63 slots of. Rounded up
 * from anywhere within a slot that is at most 64 slots ahead, and they have 64 numbers.
 */
function levelOf(delay: number): number {
  // The lowest that the delay spans less than 64 slots of, from the number of its bits: 6 for level 0, and 3 more for
  // each.
  const level = ((28 - Math.clz32(delay | (LEVEL_SLOTS - 1))) / LEVEL_SHIFT) | 0;
  return delay >>> (level * LEVEL_SHIFT) < LEVEL_SLOTS - 1 ? level : level + 1;
}

/** The slot whose end, which is its number times its span, is the first at or after a deadline ahead of the clock. */
function slotOf(deadline: number, clock: number): number {
  const level = levelOf((deadline - clock) | 0);
  const shift = level * LEVEL_SHIFT;
  return level * LEVEL_SLOTS + (((deadline + (1 << shift) - 1) >>> shift) & (LEVEL_SLOTS - 1));
}

function link(memory: Int32Array, record: number, slot: number): void {
  memory[record + SLOT] = slot;
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
 * Moves the timers of all slots that end at `tick` to EXPIRING, where they stay cancellable until they are reported.
 * These are a slot of the lowest level and, every eighth tick, one of the next, and so on.
 */
function collect(memory: Int32Array, tick: number): void {
  for (let level = 0; level < LEVELS; level++) {
    const shift = level * LEVEL_SHIFT;
    if ((tick & ((1 << shift) - 1)) !== 0) break;
    const slot = level * LEVEL_SLOTS + ((tick >>> shift) & (LEVEL_SLOTS - 1));
    const list = LISTS + 2 * slot;
    if (memory[list + NEXT] === list) continue;
    moveAll(memory, list, EXPIRING);
    clear(memory, slot);
  }
}

const NOWHERE = 0;
const EVER = 0x7fff_ffff;

/** Ticks from `clock` to the next end of a slot that is not empty, 1 .. limit; NOWHERE if there is none so near. */
function ticksToSlot(memory: Int32Array, clock: number, limit: number): number {
  let nearest = NOWHERE;
  for (let level = 0; level < LEVELS; level++) {
    const shift = level * LEVEL_SHIFT;
    const inside = clock & ((1 << shift) - 1);
    const reach = (inside + limit) >>> shift;
    // If no slot of a level ends so soon, none of a higher level does: the usual single tick ends at once.
    if (reach === 0) break;
    const slots = level < LEVELS - 1 ? LEVEL_SLOTS : LAST_LEVEL_SLOTS;
    const distance = occupied(
      memory,
      BITS + level * LEVEL_WORDS,
      slots,
      clock >>> shift,
      Math.min(reach, slots),
    );
    if (distance === NOWHERE) continue;
    nearest = (distance << shift) - inside;
    limit = nearest;
  }
  return nearest;
}
