import { occupied } from "../parts/bitmap.ts";
import { formatRecords, release, take } from "../parts/records.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { detach, link, report, ticksToExpiry, unlink } from "../parts/slot-lists.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A hashed timing wheel in one typed array: 2^16 slots of one tick. It has a list of 16-byte records in each, and a
 * bitmap of the slots that are not empty.
 *
 * Promise: everything the contract asks; order fifo; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one wheel serve many.
 * Cost: add, cancel and refresh touch the timer's own record, its slot's head and up to two neighbours. advance visits
 *   every timer of a slot that it passes, also of later rotations. Empty slots cost one bit each, 32 at a time.
 *   nextExpiry reads up to 2,049 words and the timers before the nearest deadline, at most 16,384.
 * Memory: 16 bytes per place, and 270 kB for the slots whatever the capacity.
 * Limits: timers more than 65,536 ticks ahead are visited once a rotation. Where more than 16,384 such timers lie
 *   before the nearest deadline, nextExpiry says the slot that it came to.
 * Bet: with a rotation longer than the usual timeout nothing beats it on one thread. A changed timer costs a few lines
 *   of memory and an empty tick a bit.
 * Source: Varghese & Lauck (1987), scheme 6; the flat "soon" wheel of Erlang/OTP's time.c; the bitmap from Tokio.
 *
 *     word 0                clock, a tick                                     words 3 .. 15  unused, so that records
 *     word 1                live timers                                                      stay within one line
 *     word 2                first free record
 *     BITS   2,064 words    bit s & 31 of word s >>> 5: slot s is not empty
 *     HEADS 65,552 words    first record of slot s, the newest; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               4 words per place
 *       +0  due             tick
 *       +1  handle          while live; while free, the last handle negated, or minus the place before the first
 *       +2  next            record, older in the same slot; while free, the next free record
 *       +3  previous        record, newer in the same slot; ~slot where there is none
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record.
 */
export default {
  ...ofOneThread,
  summary:
    "2^16 one-tick slots of linked 16-byte records, with an occupancy bitmap; rotations distinguished by deadline",
  source: "Varghese & Lauck (1987), scheme 6; Erlang/OTP erl_time; Tokio runtime/time",
  order: "fifo",

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new HashedWheel(memory, capacity),
} satisfies TimersCompetitor;

/** A rotation of 65.5 s at a tick of 1 ms: longer than the usual server timeouts of 30 s and 60 s. */
const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;
/** One slot more than the clock can reach, for timers that are due and not yet reported. */
const EXPIRING = SLOTS;

const CLOCK = 0;
const LIVE = 1;
const BITS = 16;
/** The bit of EXPIRING lies beyond the wheel's words, where linking may set it and no search sees it. */
const HEADS = BITS + SLOTS / 32 + 16;
const RECORDS = HEADS + SLOTS + 16;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const NONE = 0;

export class HashedWheel extends RegionTimers implements TimerSet {
  add(deadline: number): number {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = take(memory, this.capacity, this.mask);
    memory[record + DEADLINE] = tick;
    link(memory, record, tick & SLOT_MASK);
    memory[LIVE] = memory[LIVE]! + 1;
    return memory[record + HANDLE]!;
  }

  cancel(handle: number): boolean {
    const memory = this.memory;
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    // A free record holds a number that is not positive, and a place beyond the capacity reads undefined: neither
    // equals a handle. The sign is tested because a free record's own content must not pass for a handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    unlink(memory, record);
    release(memory, record);
    memory[LIVE] = memory[LIVE]! - 1;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    unlink(memory, record);
    memory[record + DEADLINE] = tick;
    link(memory, record, tick & SLOT_MASK);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const limit = Math.min(budget, out.length);
    let count = report(memory, out, 0, limit);
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
      const wait = detach(memory, tick);
      if (wait === 0) {
        count = report(memory, out, count, limit);
        barren = 0;
        continue;
      }
      if (barren === step || wait < nearest) nearest = wait;
      // A whole rotation on which nothing was due has met every timer there is: go straight to the nearest. Without
      // this a clock that jumps far ahead would visit every far timer once for every rotation in between.
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
    return (clock + ticksToExpiry(memory, clock)) | 0;
  }
}

const NOWHERE = 0;
