import {
  assertEvidence,
  assertResource,
  assertTime,
  CONFLICT,
  inferred,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { assertInReach, assertWindow, earlier, later, REACH_MS, timeOf } from "../parts/words.ts";

/**
 * Sorted disjoint ranges of three words each, every resource's side by side in an extent of one growing arena.
 *
 * Promise: the specification; touching ranges of one owner are joined, and conflicts are ranges of their own.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. A worker's replica does not see another worker's claims; to ask about them, a worker must be sent
 *   the claims and make them itself.
 * Cost: claim O(1) amortized where it prolongs the last range or begins after it, else O(ranges of the resource).
 *   Lookup O(log ranges), and no branch depends on a time before the last one. Trim O(resources + ranges forgotten),
 *   amortized.
 * Memory: 16 bytes per resource and 12 per range that it has room for. The room is 4 ranges, or a power of two that is
 *   halved when it is a quarter full and such an extent is free. The arena grows by a quarter when it is full, and
 *   never shrinks.
 * Limits: a window of more than 24.8 days is a RangeError. So is a claim that ends later than that after the watermark,
 *   and a range that would make the arena longer than 2^29 ranges.
 * Bet: a lookup costs the two or three cache lines that it touches, and the search in them is lost beside that.
 * Source: the sorted flat arrays of a column store's as-of join, with size classes as in a slab allocator.
 *
 * The arena, from word 3 x (index of the range) on:
 *
 *     0    start, in ms modulo 2^32; never before the watermark
 *     1    end, likewise
 *     2    owner, or CONFLICT
 *
 * The first range of an extent that is free holds the index of the next free one of its size.
 */
export default {
  summary: "sorted ranges in extents of one growing Int32Array, a private replica per worker",
  source: "as-of join of column stores, slab allocator",
  progress: "wait-free",
  hears: "claims",
  rule: "evidence",

  words(capacity) {
    assertWindow(capacity, REACH_MS);
    return 0;
  },

  format() {},

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: its calls share variables, which is faster than fields.
  attach(_memory, capacity): Ownership {
    const { resources } = capacity;
    const arena = new Arena();
    /** Index of a resource's first range, and of the one past its last: all that a lookup needs to know of it. */
    const spans = new Int32Array(2 * resources);
    /** Index of the first range of a resource's extent, and how many have room in it. */
    const extents = new Int32Array(2 * resources);
    /** Words of the ranges that a merge yields, before they have their place. */
    const laid: number[] = [];
    let kept = 0;

    /** Index of the last range in a span that starts by `at`; where none does, of the first. The span is not empty. */
    function lastStartingBy(first: number, past: number, at: number): number {
      const { words } = arena;
      let found = first;
      for (let rest = past - first; rest > 1; ) {
        const half = rest >>> 1;
        // A mask in place of a branch, which random times would make the processor guess wrong every other time.
        const startsLater = (at - words[(found + half) * RANGE_WORDS + START]!) >> 31;
        found += half & ~startsLater;
        rest -= half;
      }
      return found;
    }

    function append(resource: number, from: number, to: number, owner: number): void {
      makeRoom(resource, 1);
      const { words } = arena;
      const past = spans[2 * resource + 1]!;
      words[past * RANGE_WORDS + START] = from;
      words[past * RANGE_WORDS + END] = to;
      words[past * RANGE_WORDS + OWNER] = owner;
      spans[2 * resource + 1] = past + 1;
    }

    /** Lays the claim over the ranges that it overlaps or touches; touching ones take part so that equal ones join. */
    function merge(resource: number, from: number, to: number, owner: number): void {
      const { words } = arena;
      const first = spans[2 * resource]!;
      const past = spans[2 * resource + 1]!;
      let begin = lastStartingBy(first, past, (from - 1) | 0);
      if (((words[begin * RANGE_WORDS + END]! - from) | 0) < 0) begin++;

      laid.length = 0;
      let covered = from;
      let end = begin;
      for (; end < past && ((words[end * RANGE_WORDS + START]! - to) | 0) <= 0; end++) {
        const rangeStart = words[end * RANGE_WORDS + START]!;
        const rangeEnd = words[end * RANGE_WORDS + END]!;
        const rangeOwner = words[end * RANGE_WORDS + OWNER]!;
        const overlapEnd = earlier(rangeEnd, to);
        lay(laid, rangeStart, from, rangeOwner);
        lay(laid, covered, rangeStart, owner);
        lay(laid, later(rangeStart, from), overlapEnd, rangeOwner === owner ? owner : CONFLICT);
        lay(laid, later(rangeStart, to), rangeEnd, rangeOwner);
        covered = overlapEnd;
      }
      // What the last range leaves of the claim comes after all of it, unless that range outlasts the claim.
      lay(laid, covered, to, owner);
      replace(resource, begin - first, end - first);
    }

    /** Replaces the ranges from `begin` to `end`, counted from the first of the resource, by the laid ones. */
    function replace(resource: number, begin: number, end: number): void {
      const more = laid.length / RANGE_WORDS - (end - begin);
      if (more > 0) makeRoom(resource, more);
      const first = spans[2 * resource]!;
      const past = spans[2 * resource + 1]!;
      if (more !== 0) arena.move(first + end, past, first + end + more);
      const { words } = arena;
      const home = (first + begin) * RANGE_WORDS;
      // Word by word: what `set` has to find out about a plain array outweighs this few.
      for (let word = 0; word < laid.length; word++) words[home + word] = laid[word]!;
      spans[2 * resource + 1] = past + more;
    }

    /** Makes sure that `more` ranges fit behind those of a resource; if they cannot, throws and changes nothing. */
    function makeRoom(resource: number, more: number): void {
      const first = spans[2 * resource]!;
      const past = spans[2 * resource + 1]!;
      const extent = extents[2 * resource]!;
      const room = extents[2 * resource + 1]!;
      if (past + more <= extent + room) return;
      const count = past - first;
      // Sliding back over forgotten ranges pays only when they are a good part of the extent. The part is a quarter,
      // which makes three moves per range in the long run, and one range in the smallest extent.
      if (count + more <= room && first - extent >= room / 4) settle(resource, extent);
      else rehouse(resource, roomFor(count + more));
    }

    function rehouse(resource: number, room: number): void {
      const extent = extents[2 * resource]!;
      const roomBefore = extents[2 * resource + 1]!;
      const newExtent = arena.take(room);
      settle(resource, newExtent);
      if (roomBefore > 0) arena.give(extent, roomBefore);
      extents[2 * resource] = newExtent;
      extents[2 * resource + 1] = room;
    }

    /** Moves the ranges of a resource to where they start at index `at`. */
    function settle(resource: number, at: number): void {
      const first = spans[2 * resource]!;
      const past = spans[2 * resource + 1]!;
      arena.move(first, past, at);
      spans[2 * resource] = at;
      spans[2 * resource + 1] = at + past - first;
    }

    /** Forgets the ranges of a resource that end by the watermark, in ms after the one before. */
    function forget(resource: number, watermark: number, elapsedMs: number): void {
      const extent = extents[2 * resource]!;
      const room = extents[2 * resource + 1]!;
      if (room === 0) return;
      const { words } = arena;
      const past = spans[2 * resource + 1]!;
      let first = spans[2 * resource]!;
      while (first < past && ((words[first * RANGE_WORDS + END]! - kept) | 0) <= elapsedMs) first++;
      spans[2 * resource] = first;
      if (first === past) {
        arena.give(extent, room);
        spans.fill(0, 2 * resource, 2 * resource + 2);
        extents.fill(0, 2 * resource, 2 * resource + 2);
        return;
      }
      // A start must not fall so far behind the watermark that its word would seem to lie ahead.
      if (((words[first * RANGE_WORDS + START]! - kept) | 0) < elapsedMs)
        words[first * RANGE_WORDS + START] = watermark | 0;
      // Only into an extent that came free: a trim must not need memory. A quarter, so that it does not go to and fro.
      if (past - first <= room / 4 && arena.hasFree(room / 2)) rehouse(resource, room / 2);
    }

    /** The answer at a kept time that no range covers. `before` is the last range that starts by then, or the first. */
    function acrossGap(before: number, past: number, at: number, toleranceMs: number): number {
      const { words } = arena;
      const range = before * RANGE_WORDS;
      const next = range + RANGE_WORDS;
      if (before + 1 === past || ((words[range + START]! - at) | 0) > 0) return NO_EVIDENCE;
      const owner = words[range + OWNER]!;
      const gapMs = (words[next + START]! - words[range + END]!) | 0;
      const isBridged = owner >= 0 && owner === words[next + OWNER] && gapMs <= toleranceMs;
      return isBridged ? inferred(owner) : NO_EVIDENCE;
    }

    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        assertInReach(end, kept);
        const { words } = arena;
        const from = Math.max(start, kept) | 0;
        const to = end | 0;
        const past = spans[2 * resource + 1]!;
        const last = (past - 1) * RANGE_WORDS;
        // In-order claims end here: the first one, one that continues the last range, and one that begins after it.
        if (past === spans[2 * resource]) append(resource, from, to, owner);
        else if (
          words[last + OWNER] === owner &&
          ((from - words[last + START]!) | 0) >= 0 &&
          ((from - words[last + END]!) | 0) <= 0
        )
          words[last + END] = later(words[last + END]!, to);
        else if (((from - words[last + END]!) | 0) >= 0) append(resource, from, to, owner);
        else merge(resource, from, to, owner);
        return true;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        const sinceMs = t - kept;
        // In full precision, before the word drops the high bits; what is not a number fails too.
        if (!(sinceMs >= 0 && sinceMs < REACH_MS)) return NO_EVIDENCE;
        const first = spans[2 * resource]!;
        const past = spans[2 * resource + 1]!;
        if (first === past) return NO_EVIDENCE;
        const { words } = arena;
        const at = t | 0;
        const found = lastStartingBy(first, past, at);
        const range = found * RANGE_WORDS;
        if (((words[range + START]! - 1 - at) & (at - words[range + END]!)) < 0) return words[range + OWNER]!;
        return toleranceMs > 0 ? acrossGap(found, past, at, toleranceMs) : NO_EVIDENCE;
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark <= kept) return;
        // Nothing reaches farther, and a watermark may.
        const elapsedMs = Math.min(watermark - kept, REACH_MS);
        for (let resource = 0; resource < resources; resource++) forget(resource, watermark, elapsedMs);
        kept = watermark;
      },
      rangesOf(resource) {
        assertResource(capacity, resource);
        const { words } = arena;
        const ranges: Range[] = [];
        for (let index = spans[2 * resource]!; index < spans[2 * resource + 1]!; index++) {
          const range = index * RANGE_WORDS;
          ranges.push({
            start: timeOf(words[range + START]!, kept),
            end: timeOf(words[range + END]!, kept),
            owner: words[range + OWNER]!,
          });
        }
        return ranges;
      },
      bytes: () => arena.bytes + spans.byteLength + extents.byteLength,
    };
  },
} satisfies OwnershipCompetitor;

const START = 0;
const END = 1;
const OWNER = 2;
const RANGE_WORDS = 3;

/** Appends [start, end) to laid words, joined to an equal neighbour that it touches; nothing if it is empty. */
function lay(laid: number[], start: number, end: number, owner: number): void {
  if (((start - end) | 0) >= 0) return;
  const before = laid.length - RANGE_WORDS;
  if (before >= 0 && laid[before + END] === start && laid[before + OWNER] === owner) laid[before + END] = end;
  else laid.push(start, end, owner);
}

/** Ranges in the smallest extent: 48 bytes. A lookup touches one or two of their cache lines. */
const LEAST_ROOM = 4;

function roomFor(ranges: number): number {
  let room = LEAST_ROOM;
  while (room < ranges) room *= 2;
  return room;
}

/** Ranges that a fresh arena has room for: 12 KiB. */
const FIRST_ARENA = 1024;
/** The most: with twice as many, the index of a word would no longer be an int32. */
const MOST_RANGES = 2 ** 29;
/** No extent of a size is free. */
const NONE = -1;

/** Hands out extents of ranges, in sizes that are powers of two. */
class Arena {
  words = new Int32Array(FIRST_ARENA * RANGE_WORDS);
  /** Ranges that have ever been part of an extent; the rest of the arena is untouched. */
  #used = 0;
  /** Index of the first free extent, by the logarithm of its size. */
  readonly #free = new Int32Array(32).fill(NONE);

  get bytes(): number {
    return this.words.byteLength + this.#free.byteLength;
  }

  hasFree(room: number): boolean {
    return this.#free[log2(room)] !== NONE;
  }

  take(room: number): number {
    const free = this.#free[log2(room)]!;
    if (free !== NONE) {
      this.#free[log2(room)] = this.words[free * RANGE_WORDS]!;
      return free;
    }
    const extent = this.#used;
    this.#growTo(extent + room);
    this.#used += room;
    return extent;
  }

  give(extent: number, room: number): void {
    this.words[extent * RANGE_WORDS] = this.#free[log2(room)]!;
    this.#free[log2(room)] = extent;
  }

  /** Moves the ranges from index `first` to `past` to where they start at index `at`. */
  move(first: number, past: number, at: number): void {
    this.words.copyWithin(at * RANGE_WORDS, first * RANGE_WORDS, past * RANGE_WORDS);
  }

  #growTo(ranges: number): void {
    if (ranges > MOST_RANGES)
      throw new RangeError(
        `an arena for ${ranges} ranges is longer than ${MOST_RANGES}: trim, and claim again`,
      );
    const before = this.words.length / RANGE_WORDS;
    if (ranges <= before) return;
    // By a quarter, not by doubling: what is not in use yet is part of what a range costs.
    const after = Math.min(Math.max(ranges, before + Math.ceil(before / 4)), MOST_RANGES);
    const words = new Int32Array(after * RANGE_WORDS);
    words.set(this.words);
    this.words = words;
  }
}

/** Of a power of two. */
function log2(room: number): number {
  return 31 - Math.clz32(room);
}
