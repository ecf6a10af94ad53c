import { full, nextGeneration } from "./handles.ts";

/**
 * Timers as 16-byte records in a region, a list of free ones, and circular lists that keep the order of arrival. For
 * the wheels that move whole slots about.
 *
 *     word 2                first free record
 *     record  +0            the wheel's own: a deadline, or a slot
 *             +1  handle    while live; while free, the last handle negated, or minus the place before the first
 *             +2  next      record, younger in the same list; while free, the next free record
 *             +3  previous  record, older in the same list
 *
 * A record is named by the index of its first word, which is never 0: 0 is no record. A list is two words, its oldest
 * and its youngest record, and is named by the index two below them. The list itself thus stands at both ends of the
 * circle as a record would, and neither linking nor unlinking asks whether there is a neighbour. A list that is empty
 * names itself twice.
 *
 * The offsets are not exported: V8 folds a constant of the own module into the code and loads an imported one. For the
 * same reason each wheel has its own add, cancel and refresh: those of a class that all wheels extend would load where
 * the records begin, and call the wheel's own link and unlink through the object.
 */

const FREE = 2;
const RECORD_WORDS = 4;
const HANDLE = 1;
const NEXT = 2;
const PREVIOUS = 3;
const NONE = 0;

/** Makes `capacity` free records, the first at index `records`. */
export function formatRecords(memory: Int32Array, records: number, capacity: number): void {
  memory[FREE] = records;
  for (let place = 0; place < capacity; place++) {
    const record = records + place * RECORD_WORDS;
    memory[record + HANDLE] = -place;
    memory[record + NEXT] = place + 1 < capacity ? record + RECORD_WORDS : NONE;
  }
}

/** Makes `count` empty lists, side by side, beginning at `lists`. */
export function formatLists(memory: Int32Array, lists: number, count: number): void {
  for (let list = lists; list < lists + 2 * count; list += 2) {
    memory[list + NEXT] = list;
    memory[list + PREVIOUS] = list;
  }
}

/** Gives a free record its next handle; it is in no list yet. Throws a RangeError when all are live. */
export function take(memory: Int32Array, capacity: number, mask: number): number {
  const record = memory[FREE]!;
  if (record === NONE) throw full(capacity);
  memory[FREE] = memory[record + NEXT]!;
  memory[record + HANDLE] = nextGeneration(-memory[record + HANDLE]!, mask);
  return record;
}

/** Makes a record that is in no list free. */
export function release(memory: Int32Array, record: number): void {
  memory[record + HANDLE] = -memory[record + HANDLE]!;
  memory[record + NEXT] = memory[FREE]!;
  memory[FREE] = record;
}

/** Links a record as the youngest of a list. */
export function append(memory: Int32Array, list: number, record: number): void {
  const youngest = memory[list + PREVIOUS]!;
  memory[record + NEXT] = list;
  memory[record + PREVIOUS] = youngest;
  memory[youngest + NEXT] = record;
  memory[list + PREVIOUS] = record;
}

/** Returns the list that is empty now because of it, 0 if none is. */
export function unlink(memory: Int32Array, record: number): number {
  const next = memory[record + NEXT]!;
  const previous = memory[record + PREVIOUS]!;
  memory[previous + NEXT] = next;
  memory[next + PREVIOUS] = previous;
  return next === previous ? next : NONE;
}

/**
 * Empties a list and returns its oldest record, or the list itself if there was none. The records stay linked to one
 * another, and the youngest to the list: follow them before linking them anew.
 */
export function detach(memory: Int32Array, list: number): number {
  const oldest = memory[list + NEXT]!;
  memory[list + NEXT] = list;
  memory[list + PREVIOUS] = list;
  return oldest;
}

/** Moves all records of a list that is not empty behind those of another. */
export function moveAll(memory: Int32Array, from: number, to: number): void {
  const youngest = memory[from + PREVIOUS]!;
  const oldest = detach(memory, from);
  const last = memory[to + PREVIOUS]!;
  memory[last + NEXT] = oldest;
  memory[oldest + PREVIOUS] = last;
  memory[youngest + NEXT] = to;
  memory[to + PREVIOUS] = youngest;
}

/** Writes the handles of a list to `out` from index `count` up to `limit`, frees them; returns the new count. */
export function report(
  memory: Int32Array,
  list: number,
  out: Int32Array,
  count: number,
  limit: number,
): number {
  let record = memory[list + NEXT]!;
  if (record === list) return count;
  while (record !== list && count < limit) {
    const next = memory[record + NEXT]!;
    out[count++] = memory[record + HANDLE]!;
    release(memory, record);
    record = next;
  }
  memory[list + NEXT] = record;
  memory[record + PREVIOUS] = list;
  return count;
}
