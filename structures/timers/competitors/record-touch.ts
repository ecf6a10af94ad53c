import { formatRecords, release, take } from "../parts/records.ts";
import { RegionTimers } from "../parts/region-timers.ts";
import { deadlineTick } from "../parts/ticks.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * No timers at all: the lower bound that shows what it costs to keep a record per timer in memory and touch it once.
 *
 * Promise: answers cancel and refresh truly, and never reports a timer.
 * Progress: wait-free for one thread; behind a lock, the lock's.
 * Threads: one at a time. All state is in the region.
 * Cost: each operation reads and writes one 16-byte record, and so one line of memory. add and cancel touch the free
 *   list's head besides. advance is a store.
 * Memory: 16 bytes per place.
 * Limits: keeps every timer, so that a set of it fills up unless its timers are cancelled.
 * Bet: at a million timers most of what a good structure costs is this one touch.
 * Source: the record of hashed-wheel without its wheel.
 *
 *     word 0   clock, a tick                                words 3 .. 15  unused, so that no record shares their line
 *     word 1   live timers
 *     word 2   first free record
 *     RECORDS  4 words per place
 *       +0  due      tick
 *       +1  handle   while live; while free, the last handle negated, or minus the place before the first
 *       +2  next     while free, the next free record
 *       +3  unused, where a record in a list would have a second link
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record.
 */
export default {
  summary: "lower bound: one touch of a 16-byte record per operation, and nothing expires",
  source: "the record of hashed-wheel, alone",
  progress: "wait-free",
  lowerBound: true,
  order: "none",
  expiry: "nothing",
  callers: "one",
  lateness: () => Number.POSITIVE_INFINITY,

  words: (capacity) => RECORDS + capacity * RECORD_WORDS,

  format(memory, capacity) {
    memory.fill(0, 0, RECORDS);
    formatRecords(memory, RECORDS, capacity);
  },

  attach: (memory, capacity) => new RecordTouch(memory, capacity),
} satisfies TimersCompetitor;

const CLOCK = 0;
const LIVE = 1;
const RECORDS = 16;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;

class RecordTouch extends RegionTimers implements TimerSet {
  add(deadline: number): number {
    const memory = this.memory;
    const tick = deadlineTick(memory[CLOCK]!, deadline);
    const record = take(memory, this.capacity, this.mask);
    memory[record + DEADLINE] = tick;
    memory[LIVE] = memory[LIVE]! + 1;
    return memory[record + HANDLE]!;
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

  advance(now: number): number {
    const memory = this.memory;
    if (((now - memory[CLOCK]!) | 0) > 0) memory[CLOCK] = now | 0;
    return 0;
  }

  nextExpiry(): undefined {
    return undefined;
  }
}
