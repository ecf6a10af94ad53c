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
 * Two wheels of 2^14 slots in one typed array. A soon wheel has one tick per slot, and the slots of a later wheel span
 * half of the soon wheel. A timer moves from the later to the soon one at most once.
 *
 * Promise: everything the contract asks; order fifo; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes two wheels serve many.
 * Cost: add, cancel and refresh touch the timer's own record, up to two neighbours and its slot. advance moves a slot
 *   of the soon wheel at once. When the clock enters a block of 2^13 ticks it visits each timer of one later slot.
 *   Empty slots cost one bit each, 32 at a time. nextExpiry reads at most 1,026 words.
 * Memory: 16 bytes per place, and 266 kB for the slots whatever the capacity.
 * Limits: timers more than 2^27 ticks ahead lie in the later wheel a turn or more early, and each turn visits them
 *   once. nextExpiry takes the start of a later slot for the deadline, so it may be early by whole turns. The timers of
 *   a later slot move in one call, which no budget divides.
 * Bet: one move per timer, and none for most, is a better price for a long range than a cascade. Where timeouts are
 *   shorter than one rotation of a flat wheel, nothing is gained over that wheel.
 * Source: Erlang/OTP's erts/emulator/beam/time.c: the two wheels, their sizes, and slots of half a soon wheel.
 *
 *     word 0                clock, a tick                                     words 3 .. 15  unused, so that records
 *     word 1                live timers                                                      stay within one line
 *     word 2                first free record
 *     BITS   1,040 words    bit s & 31 of word s >>> 5: slot s is not empty; the soon wheel first, then the later one
 *     HEADS 65,552 words    oldest and youngest record of slot s; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               4 words per place, as parts/records.ts lays them out, with the deadline first
 *
 * Ticks fall into blocks of 2^13. The soon wheel holds the timers of the clock's block and of the block after it, the
 * later wheel those of all others. So all timers of one tick are in one list at any time. A later slot is moved from
 * its oldest to its youngest, so fifo needs nothing more.
 */
export default {
  ...ofOneThread,
  summary: "a wheel of 2^14 one-tick slots and one of 2^14 slots of 2^13 ticks; at most one move per timer",
  source: "Erlang/OTP erts/emulator/beam/time.c",
  variantOf: "hierarchical-wheel",
  order: "fifo",

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatLists(memory, LISTS, SOON_SLOTS + LATER_SLOTS + 1);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new TwoWheels(memory, capacity),
} satisfies TimersCompetitor;

const SOON_SLOTS = 2 ** 14;
const SOON_MASK = SOON_SLOTS - 1;
const LATER_SLOTS = 2 ** 14;
const LATER_MASK = LATER_SLOTS - 1;
/** Ticks of a later slot: two of them fill the soon wheel, so that one can move in while the other is in use. */
const BLOCK_SHIFT = 13;
const BLOCK = 2 ** BLOCK_SHIFT;
/** Block numbers, as ticks, wrap: there are this many, less one. */
const BLOCK_NUMBERS = 0xffff_ffff >>> BLOCK_SHIFT;

const CLOCK = 0;
const LIVE = 1;
const BITS = 16;
const LATER_BITS = BITS + SOON_SLOTS / 32;
/** The bit of EXPIRING lies beyond those of the wheels, where unlinking may clear it and no search sees it. */
const HEADS = LATER_BITS + LATER_SLOTS / 32 + 16;
/** A list is named by the index two below its words. */
const LISTS = HEADS - 2;
const EXPIRING = LISTS + 2 * (SOON_SLOTS + LATER_SLOTS);
const RECORDS = HEADS + 2 * (SOON_SLOTS + LATER_SLOTS) + 16;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const NEXT = 2;
const NONE = 0;

export class TwoWheels extends RegionTimers implements TimerSet {
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
      let step = occupied(memory, BITS, SOON_SLOTS, clock, Math.min(ahead, SOON_SLOTS));
      const border = ticksToBlock(clock);
      if (border <= ahead && (step === NOWHERE || border < step)) {
        const move = ticksToMove(memory, clock);
        if (move !== NOWHERE && move <= ahead && (step === NOWHERE || move < step)) step = move;
      }
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
    if (memory[EXPIRING + NEXT] !== EXPIRING) return clock;
    const step = occupied(memory, BITS, SOON_SLOTS, clock, SOON_SLOTS);
    return (clock + (step === NOWHERE ? ticksToMove(memory, clock) + BLOCK : step)) | 0;
  }
}

/** Links a record under its deadline, which is ahead of the clock. */
function file(memory: Int32Array, record: number, deadline: number, clock: number): void {
  const block = deadline >>> BLOCK_SHIFT;
  const blocksAhead = (block - (clock >>> BLOCK_SHIFT)) & BLOCK_NUMBERS;
  link(memory, record, blocksAhead <= 1 ? deadline & SOON_MASK : SOON_SLOTS + (block & LATER_MASK));
}

function link(memory: Int32Array, record: number, slot: number): void {
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
 * Does the work of `tick`, where the clock now stands. The timers due at it go to EXPIRING, where they stay cancellable
 * until they are reported. At the start of a block the next block moves to the soon wheel.
 */
function enter(memory: Int32Array, tick: number): void {
  const list = LISTS + 2 * (tick & SOON_MASK);
  if (memory[list + NEXT] !== list) {
    moveAll(memory, list, EXPIRING);
    clear(memory, tick & SOON_MASK);
  }
  if ((tick & (BLOCK - 1)) === 0) moveBlock(memory, ((tick >>> BLOCK_SHIFT) + 1) & BLOCK_NUMBERS);
}

function moveBlock(memory: Int32Array, block: number): void {
  const slot = SOON_SLOTS + (block & LATER_MASK);
  const list = LISTS + 2 * slot;
  clear(memory, slot);
  for (let record = detach(memory, list); record !== list; ) {
    const next = memory[record + NEXT]!;
    const deadline = memory[record + DEADLINE]!;
    link(memory, record, deadline >>> BLOCK_SHIFT === block ? deadline & SOON_MASK : slot);
    record = next;
  }
}

const NOWHERE = 0;

function ticksToBlock(clock: number): number {
  return BLOCK - (clock & (BLOCK - 1));
}

/** Ticks from `clock` to where the next later slot that is not empty moves; NOWHERE if all are empty. */
function ticksToMove(memory: Int32Array, clock: number): number {
  // The slot of the block after the clock's comes last: its own timers have moved, others lie there for next turn.
  const blocks = occupied(memory, LATER_BITS, LATER_SLOTS, (clock >>> BLOCK_SHIFT) + 1, LATER_SLOTS);
  return blocks === NOWHERE ? NOWHERE : ticksToBlock(clock) + (blocks - 1) * BLOCK;
}
