import { occupied } from "../parts/bitmap.ts";
import { formatRecords, release, take } from "../parts/records.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { link, report, ticksToExpiry, unlink } from "../parts/slot-lists.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A hashed timing wheel where postponing a timer only writes its new deadline into its record. The timer stays in its
 * old slot, and moves to the right one when the clock reaches the old one.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region, so that a lock makes one wheel serve many.
 * Cost: a refresh to a later tick reads and writes the timer's own record and no other. A refresh to an earlier one
 *   relinks, as add and cancel do: record, slot's head, up to two neighbours. advance visits every timer of a slot that
 *   it passes, relinks postponed ones, and leaves the ones of later rotations. Empty slots cost one bit each, 32 at a
 *   time. nextExpiry reads up to 2,049 words and the timers in slots before the nearest deadline, at most 16,384.
 * Memory: 16 bytes per place, and 270 kB for the slots whatever the capacity.
 * Limits: where more than 16,384 postponed timers or timers of later rotations lie before the nearest deadline,
 *   nextExpiry returns the slot that it came to. A timer that is postponed again and again is relinked once per
 *   timeout, or per rotation if that is shorter. The order within a tick is lost.
 * Bet: of thirty heartbeats within one timeout all but one move cost a store, so it beats the same wheel without. The
 *   bill comes in advance, in slots full of timers that are not due.
 * Source: the wheel of hashed-wheel.ts. Refreshing by a store comes from Tokio's runtime/time/entry.rs and the npm
 *   package retimer. nginx likewise leaves a timer where it is when it moves by less than 300 ms.
 *
 *     word 0                clock, a tick                                     words 3 .. 15  unused, so that records
 *     word 1                live timers                                                      stay within one line
 *     word 2                first free record
 *     BITS   2,064 words    bit s & 31 of word s >>> 5: slot s is not empty
 *     HEADS 65,552 words    first record of slot s, the newest; at EXPIRING: of the timers due and not yet reported
 *     RECORDS               4 words per place
 *       +0  due             tick; that of its slot, or a later one since a refresh
 *       +1  handle          while live; while free, the last handle negated, or minus the place before the first
 *       +2  next            record, older in the same slot; while free, the next free record
 *       +3  previous        record, newer in the same slot; ~slot where there is none
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record. Only the first record of a slot
 * says which slot it is; no other has to know. Nothing needs the tick for which a timer was put there, which is never
 * after its deadline: the clock comes by in time.
 */
export default {
  ...ofOneThread,
  summary:
    "2^16 one-tick slots where a refresh to later is one store; put into the right slot when the old is due",
  source: "Varghese & Lauck (1987), scheme 6; Tokio runtime/time/entry; npm retimer",
  order: "deadline",

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new LazyRefreshWheel(memory, capacity),
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
const NEXT = 2;
const NONE = 0;

export class LazyRefreshWheel extends RegionTimers implements TimerSet {
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
    // As in hashed-wheel.ts: what a free record or no record holds equals no positive handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    unlink(memory, record);
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
    const old = memory[record + DEADLINE]!;
    memory[record + DEADLINE] = tick;
    // A deadline that the clock has reached is that of a timer in EXPIRING, which is no slot that comes round. One that
    // moves nearer may still be after the tick of its slot, but that tick is not recorded.
    if (((tick - old) | 0) < 0 || ((old - clock) | 0) <= 0) {
      unlink(memory, record);
      link(memory, record, tick & SLOT_MASK);
    }
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
      const wait = visit(memory, tick);
      if (wait === 0) {
        count = report(memory, out, count, limit);
        barren = 0;
        continue;
      }
      if (barren === step || wait < nearest) nearest = wait;
      // A whole rotation on which nothing was due has met every timer there is. It has put each into the slot of its
      // deadline, so other ticks may be passed by: go straight to the nearest.
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

/**
 * Sorts the slot of `tick`, which is not empty. Due timers go to EXPIRING, where they stay cancellable until they are
 * reported. Postponed timers go to the slots of their deadlines, and timers of later rotations stay. Returns 0 if any
 * was due, else the ticks from `tick` to the nearest due.
 */
function visit(memory: Int32Array, tick: number): number {
  const slot = tick & SLOT_MASK;
  let nearest = 0x7fff_ffff;
  for (let record = memory[HEADS + slot]!; record !== NONE; ) {
    const next = memory[record + NEXT]!;
    const deadline = memory[record + DEADLINE]!;
    const wait = (deadline - tick) | 0;
    const goal = wait === 0 ? EXPIRING : deadline & SLOT_MASK;
    if (goal !== slot) {
      unlink(memory, record);
      link(memory, record, goal);
    }
    if (wait < nearest) nearest = wait;
    record = next;
  }
  return nearest;
}

const NOWHERE = 0;
