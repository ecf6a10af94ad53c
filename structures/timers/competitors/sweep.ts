import { full, nextGeneration } from "../parts/handles.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { NOTHING_NEAR, scanFor } from "../parts/scans.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { ofOneThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * No structure: the deadline of every timer in one array, and a scan over all of it each 1,000 ticks.
 *
 * Promise: everything the contract asks; order none; up to 999 ticks late.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region.
 * Cost: refresh is a compare and a store; add and cancel take a place from the free list and put it back. Each 1,000
 *   ticks advance reads every place there is, live or not, in the order of memory.
 * Memory: 8 bytes per place: the deadline, and the handle that says whether it counts.
 * Limits: a scan is one pause as long as the capacity. A clock that jumps pays one scan for each 1,000 ticks in which
 *   something is due.
 * Bet: for timeouts of many seconds nothing beats a store and a scan, until the scan's pause is too long.
 * Source: Workerman's manual, heartbeat: one timer of a second that compares every connection's last message with
 *   now.
 *
 *     word 0   clock, a tick                                words 5 .. 15  unused, so that no record shares their line
 *     word 1   live timers
 *     word 2   first free record
 *     word 3   tick of the next scan
 *     word 4   record at which the scan of this tick goes on, where a budget interrupted it
 *     RECORDS  2 words per place
 *       +0  due      tick at which its owner counts as gone; while free, the next free record
 *       +1  handle   while live; while free, the last handle negated, or minus the place before the first
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record.
 */
export default {
  ...ofOneThread,
  summary: "an array of deadlines, all of it scanned each 1,000 ticks",
  source: "Workerman manual, heartbeat",
  order: "none",
  lateness: () => PERIOD - 1,

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    memory[FREE] = RECORDS;
    memory[NEXT_SCAN] = PERIOD;
    for (let place = 0; place < capacity; place++) {
      const record = RECORDS + place * RECORD_WORDS;
      memory[record + DEADLINE] = place + 1 < capacity ? record + RECORD_WORDS : NONE;
      memory[record + HANDLE] = -place;
    }
  },

  attach: (memory, capacity) => new Sweep(memory, capacity),
} satisfies TimersCompetitor;

/** Ticks between two scans: the manual's second, at a tick of 1 ms. */
const PERIOD = 1000;

const CLOCK = 0;
const LIVE = 1;
const FREE = 2;
/** Counted on from formatting, so that it does not matter that 2^32 ticks are not a whole number of periods. */
const NEXT_SCAN = 3;
const RESUME = 4;
const RECORDS = 16;

const RECORD_WORDS = 2;
const DEADLINE = 0;
const HANDLE = 1;
const NONE = 0;

export class Sweep extends RegionTimers implements TimerSet {
  add(deadline: number): number {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = memory[FREE]!;
    if (record === NONE) throw full(this.capacity);
    memory[FREE] = memory[record + DEADLINE]!;
    const handle = nextGeneration(-memory[record + HANDLE]!, this.mask);
    memory[record + HANDLE] = handle;
    memory[record + DEADLINE] = tick;
    memory[LIVE] = memory[LIVE]! + 1;
    return handle;
  }

  cancel(handle: number): boolean {
    const memory = this.memory;
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    // The sign is tested because a free record's own content must not pass for a handle.
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    release(memory, record);
    memory[LIVE] = memory[LIVE]! - 1;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = RECORDS + (handle & this.mask) * RECORD_WORDS;
    if (memory[record + HANDLE] !== handle || handle <= 0) return false;
    memory[record + DEADLINE] = tick;
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.memory;
    const limit = Math.min(budget, out.length);
    let count = 0;
    if (memory[RESUME] !== NONE) count = this.#scan(memory[RESUME]!, out, count, limit).count;
    while (count < limit && ((now - memory[CLOCK]!) | 0) > 0) {
      const next = memory[NEXT_SCAN]!;
      if (((now - next) | 0) < 0) {
        memory[CLOCK] = now | 0;
        break;
      }
      // The clock moves before the scan. A timer that is set while a budget interrupts the scan is due after it. So it
      // does not matter whether the scan has passed its place.
      memory[CLOCK] = next;
      memory[NEXT_SCAN] = (next + PERIOD) | 0;
      const scan = this.#scan(RECORDS, out, count, limit);
      count = scan.count;
      if (count < limit) memory[NEXT_SCAN] = scanFor(memory[NEXT_SCAN]!, PERIOD, now, next + scan.nearest);
    }
    memory[LIVE] = memory[LIVE]! - count;
    return count;
  }

  nextExpiry(): number | undefined {
    const memory = this.memory;
    if (memory[LIVE] === 0) return undefined;
    this.#skipToDue();
    return memory[RESUME] === NONE ? memory[NEXT_SCAN]! : memory[CLOCK]!;
  }

  /** Passes by what a budget left over and was cancelled or refreshed since. The scan is over if that is all. */
  #skipToDue(): void {
    const memory = this.memory;
    const clock = memory[CLOCK]!;
    const end = RECORDS + this.capacity * RECORD_WORDS;
    let record = memory[RESUME]!;
    if (record === NONE) return;
    while (
      record < end &&
      !(memory[record + HANDLE]! > 0 && ((memory[record + DEADLINE]! - clock) | 0) <= 0)
    ) {
      record += RECORD_WORDS;
    }
    memory[RESUME] = record < end ? record : NONE;
  }

  /**
   * Reports what is due from `record` on, and notes where it stopped if the limit does not allow all of it. Returns the
   * new count, and the ticks to the nearest due of what it left alone.
   */
  #scan(record: number, out: Int32Array, count: number, limit: number): { count: number; nearest: number } {
    const memory = this.memory;
    const clock = memory[CLOCK]!;
    const end = RECORDS + this.capacity * RECORD_WORDS;
    let nearest = NOTHING_NEAR;
    for (; record < end; record += RECORD_WORDS) {
      const handle = memory[record + HANDLE]!;
      if (handle <= 0) continue;
      const wait = (memory[record + DEADLINE]! - clock) | 0;
      if (wait > 0) {
        if (wait < nearest) nearest = wait;
        continue;
      }
      if (count === limit) {
        memory[RESUME] = record;
        return { count, nearest };
      }
      out[count++] = handle;
      release(memory, record);
    }
    memory[RESUME] = NONE;
    return { count, nearest };
  }
}

function release(memory: Int32Array, record: number): void {
  memory[record + HANDLE] = -memory[record + HANDLE]!;
  memory[record + DEADLINE] = memory[FREE]!;
  memory[FREE] = record;
}
