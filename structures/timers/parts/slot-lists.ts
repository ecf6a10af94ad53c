import { occupied } from "./bitmap.ts";
import { release } from "./records.ts";
import { NOTHING_NEAR } from "./scans.ts";

/**
 * The slots of a wheel of 2^16 one-tick slots. Each has a list of records, as records.ts lays them out with the
 * deadline first. It also has a bit, as bitmap.ts searches them, that is set where the slot is not empty. The offsets
 * are not exported, as there.
 *
 *     word 16  BITS   2,064 words    bit s & 31 of word s >>> 5: slot s is not empty
 *              HEADS 65,552 words    first record of slot s, the newest; at EXPIRING: of the timers due and not yet
 *                                    reported
 *     record   +2     next           record, older in the same slot
 *              +3     previous       record, newer in the same slot; ~slot where there is none
 */

const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;
/** One slot more than the clock can reach, for timers that are due and not yet reported. */
const EXPIRING = SLOTS;

const BITS = 16;
/** The bit of EXPIRING lies beyond the wheel's words, where linking may set it and no search sees it. */
const HEADS = BITS + SLOTS / 32 + 16;

const DEADLINE = 0;
const HANDLE = 1;
const NEXT = 2;
const PREVIOUS = 3;
const NONE = 0;
const NOWHERE = 0;

/** This number lies in the nearer caches and costs a tenth of a millisecond. A server that idles has fewer. */
export const MOST_READ = 2 ** 14;

/** Puts a record in front of a slot's list: the newest first, because that touches no record but the one it joins. */
export function link(memory: Int32Array, record: number, slot: number): void {
  const next = memory[HEADS + slot]!;
  memory[record + NEXT] = next;
  memory[record + PREVIOUS] = ~slot;
  if (next !== NONE) memory[next + PREVIOUS] = record;
  else memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! | (1 << slot);
  memory[HEADS + slot] = record;
}

export function unlink(memory: Int32Array, record: number): void {
  const next = memory[record + NEXT]!;
  const previous = memory[record + PREVIOUS]!;
  if (next !== NONE) memory[next + PREVIOUS] = previous;
  if (previous >= 0) {
    memory[previous + NEXT] = next;
    return;
  }
  const slot = ~previous;
  memory[HEADS + slot] = next;
  if (next === NONE) memory[BITS + (slot >>> 5)] = memory[BITS + (slot >>> 5)]! & ~(1 << slot);
}

/** Moves the timers of a list beside the wheel to the slots of their deadlines, the oldest first. */
export function register(memory: Int32Array, list: number): void {
  let record = memory[HEADS + list]!;
  if (record === NONE) return;
  for (let older = memory[record + NEXT]!; older !== NONE; older = memory[record + NEXT]!) record = older;
  memory[HEADS + list] = NONE;
  // The newest has ~list in place of a newer one.
  while (record >= 0) {
    const newer = memory[record + PREVIOUS]!;
    link(memory, record, memory[record + DEADLINE]! & SLOT_MASK);
    record = newer;
  }
}

/**
 * Moves the timers due at `tick` from its slot to EXPIRING, where they stay cancellable until they are reported. The
 * slot is read from the newest to the oldest and each is put in front, so the oldest ends up first: fifo for nothing.
 * Returns 0 if any was due, else the ticks from `tick` to the nearest due in the slot, which is not empty.
 */
export function detach(memory: Int32Array, tick: number): number {
  let nearest = 0x7fff_ffff;
  for (let record = memory[HEADS + (tick & SLOT_MASK)]!; record !== NONE; ) {
    const next = memory[record + NEXT]!;
    const wait = (memory[record + DEADLINE]! - tick) | 0;
    if (wait === 0) {
      unlink(memory, record);
      link(memory, record, EXPIRING);
    }
    if (wait < nearest) nearest = wait;
    record = next;
  }
  return nearest;
}

/**
 * Ticks from `clock` to the nearest deadline, of slots that are not all empty. It reads MOST_READ timers at most: a slot
 * that it cannot read to the end it takes for a deadline. `nextWord` is where in a record the next one stands, and no
 * slot may hold a timer that is due before the slot's tick.
 */
export function ticksToExpiry(memory: Int32Array, clock: number, nextWord = NEXT): number {
  let nearest = NOTHING_NEAR;
  let left = MOST_READ;
  let step = occupied(memory, BITS, SLOTS, clock, SLOTS);
  for (let onward = step; onward !== NOWHERE && step < nearest; step += onward) {
    for (let record = memory[HEADS + ((clock + step) & SLOT_MASK)]!; record !== NONE; ) {
      if (left-- === 0) return step;
      nearest = Math.min(nearest, (memory[record + DEADLINE]! - clock) | 0);
      record = memory[record + nextWord]!;
    }
    onward = occupied(memory, BITS, SLOTS, clock + step, SLOTS - step);
  }
  return nearest;
}

/** Writes the handles of EXPIRING to `out` from index `count` up to `limit`, frees them; returns the new count. */
export function report(memory: Int32Array, out: Int32Array, count: number, limit: number): number {
  let record = memory[HEADS + EXPIRING]!;
  if (record === NONE) return count;
  while (record !== NONE && count < limit) {
    const next = memory[record + NEXT]!;
    out[count++] = memory[record + HANDLE]!;
    release(memory, record);
    record = next;
  }
  memory[HEADS + EXPIRING] = record;
  if (record !== NONE) memory[record + PREVIOUS] = ~EXPIRING;
  return count;
}
