import type { Region } from "../../shared/layout.ts";
import {
  assertEvidence,
  assertResource,
  assertTime,
  type Capacity,
  inferred,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { lay } from "../parts/ranges.ts";
import { WATERMARK_WORDS, Watermark } from "../parts/watermark.ts";
import { assertWindow, earlier, later, timeOf } from "../parts/words.ts";

/**
 * Four ranges of a resource in one cache line, in no order, under a seqlock: a changed version makes a reader look
 * again.
 *
 * Promise: the specification word for word. It keeps the evidence itself: for each owner the union of its claims. A
 *   claim changes only the ranges of its owner, and a lookup overlays them. A lookup beside the writer, bridged or not,
 *   answers as of one instant: more than was asked.
 * Progress: claim and trim wait-free. Lookup lock-free: it looks again only where the writer has changed that resource
 *   or raised the watermark meanwhile. A writer that stops for ever, at any point, delays no lookup.
 * Threads: one worker claims and trims, any number look up beside it.
 * Cost: claim O(1), with one store at most, where it prolongs the range that ends last, else O(ranges of the resource).
 *   Lookup O(ranges of the resource), one line for every four. Trim O(resources + ranges), and for each range forgotten
 *   a walk along the ranges of its resource.
 * Memory: 64 bytes per resource and 16 per range: 32 per range where resources have four each.
 * Limits: a window of more than 2^30 ms (12 days) is a RangeError. So is a claim that ends later than that after the
 *   watermark; trim first. So is a claim that needs more blocks than there are, which takes more than capacity.ranges
 *   ranges. So is a capacity of 2^31 words or more, as int32 words point at blocks: nearly 2^27 of them, resources +
 *   ranges / 4. A resource's version and the epoch of the watermark count modulo 2^32. A lookup must not sleep through
 *   exactly that many changes of one resource, or raises.
 * Bet: most resources have had few owners within memory, and then one line read from end to end beats any search.
 * Source: Boehm, "Can seqlocks get along with programming language memory models?" (2012), for why data is read
 *   atomically; its readers wait for an odd version, these never do. Cache-line nodes, the first one inline: LLVM IntervalMap.
 *
 *     0 .. 31       watermark                            written by the writer, read by all
 *     32            FREE     first block given back      used by the writer
 *     33            UNUSED   first block never used      used by the writer
 *     34 .. 63      dead
 *     64 ..         blocks of 16 words, one per resource in their order, then the pool's:
 *       +0          VERSION  changes of the resource, modulo 2^32    written by the writer, read by all; in a block
 *                            given back the next such block          used by the writer
 *       +1          NEXT     block with more of the same resource    written by the writer, read by all
 *       +2          LATEST   slot of the range that ends last        used by the writer; in a resource's own block
 *       +3          dead
 *       +4 7 10 13  slots, of three words each:                      written by the writer, read by all
 *         +0        START    first ms, modulo 2^32
 *         +1        END      ms after the last, modulo 2^32
 *         +2        CODE     EMPTY, or what the range answers, and 1: owner + 1, or -1 where a peer said conflict
 *     Blocks and slots are named by their first word; NONE is 0.
 */
export default {
  summary: "four ranges per cache line in no order, versions tell readers to look again",
  source: "Boehm's seqlock readers, LLVM IntervalMap",
  formerly: "shared-slots",
  progress: "lock-free",
  hears: "claims",
  rule: "evidence",

  words({ resources, ranges, windowMs }) {
    assertWindow({ windowMs }, HORIZON_MS);
    const words = blockOf(resources + blocksPooled(ranges));
    if (words > MOST_WORDS)
      throw new RangeError(
        `${resources} resources and ${ranges} ranges need ${words} words, of ${MOST_WORDS}`,
      );
    return words;
  },

  format(memory, { resources }) {
    memory.fill(0);
    memory[UNUSED] = blockOf(resources);
  },

  attach: (memory, capacity) =>
    attachSlots(memory, capacity, new SlotWriter(memory, capacity), (region, word) =>
      Atomics.load(region, word),
    ),
} satisfies OwnershipCompetitor;

/**
 * Ground rules:
 *
 * 1. A range gets longer by a store of its START and one of its END. Whichever a reader has seen, each millisecond is as
 *    it was before the claim or as it is after.
 * 2. A slot is filled while it is EMPTY: START and END, then the version goes up, then CODE. Readers load CODE last. So
 *    one that has seen anything of the slot's former life finds it EMPTY, or the version moved.
 * 3. A slot is emptied by one store, of CODE. Where its range also stands elsewhere, because another range swallowed it
 *    or it was copied, the version goes up before. A reader that passed the other place too early, and passes this one
 *    too late, then finds the version moved.
 * 4. The version goes up before a claim that may meet other owners. A reader that has passed the place of the first of
 *    two claims of a millisecond must not find the second alone. Only a claim that prolongs the range that ends last
 *    goes without, as what it adds is unclaimed.
 * 5. The version goes up after a block is unlinked and before it may serve another resource: a reader may be inside.
 * 6. The watermark goes up before anything is forgotten, and a reader looks at it last. So all that a lookup compares
 *    with is of one age, and the low 32 bits of times are enough.
 *
 * Between two steps of a version, then, a resource gains claims or loses only redundant ones. No two of the gained
 * claims concern the same millisecond. That is why no reader ever waits. What it finds in any half-done change is true,
 * so it need not know of one change, only whether there were two.
 */

export const BLOCK_WORDS = 16;
export const VERSION = 0;
export const NEXT = 1;
const LATEST = 2;
export const FIRST_SLOT = 4;
export const SLOT_WORDS = 3;
const SLOTS_PER_BLOCK = (BLOCK_WORDS - FIRST_SLOT) / SLOT_WORDS;
const START = 0;
const END = 1;
const CODE = 2;

const FREE = WATERMARK_WORDS;
const UNUSED = FREE + 1;
/** A whole number of blocks, so that they keep to cache lines. */
export const BLOCKS = 2 * WATERMARK_WORDS;
const NONE = 0;
/** So that UNUSED, an int32, can point past the last block. */
const MOST_WORDS = 2 ** 31 - 1;

const EMPTY = 0;
const SEVERAL = -1;

/**
 * In ms. Differences of times have 31 bits, and so have three lengths together. The first is how far claims reach past
 * the watermark. The second is how far a trim raises it before it has handled every range. The third is how far behind
 * a start may lie.
 */
const HORIZON_MS = 2 ** 30;
const STEP_MS = 2 ** 29;
const MOST_BEHIND_MS = 2 ** 29 - 1;

/**
 * Enough for all ranges, however they are spread. The slots in use are the first of their chain, so n ranges of a
 * resource have (n - 1) / 4 blocks besides the first, rounded down. No slot is taken that its range would not need.
 */
function blocksPooled(ranges: number): number {
  return Math.max(0, Math.floor((ranges - 1) / SLOTS_PER_BLOCK));
}

function blockOf(index: number): number {
  return BLOCKS + index * BLOCK_WORDS;
}

/** How a reader loads a shared word. */
export type Load = (memory: Region, word: number) => number;

/** A handle from its parts: mutants replace one, a variant the load. Its lookups are in JavaScript. */
export function attachSlots(memory: Region, capacity: Capacity, writer: SlotWriter, load: Load): Ownership {
  const { resources } = capacity;
  const watermark = new Watermark(memory);
  const guard = (look: Lookup) => untorn(memory, look);
  const known = guard((block, t) => answerIn(memory, load, block, t));
  const supposed = guard((block, t, kept, toleranceMs) =>
    answerAcross(memory, load, block, t, kept, toleranceMs),
  );

  function ownerAt(resource: number, t: number, toleranceMs = 0): number {
    if (resource >>> 0 !== resource || resource >= resources) assertResource(capacity, resource);
    const block = blockOf(resource);
    const at = Math.floor(t);
    for (let kept = watermark.ms; ; kept = watermark.load()) {
      let answer = NO_EVIDENCE;
      if (at >= kept && at < kept + HORIZON_MS) {
        const look = toleranceMs > 0 ? supposed : known;
        answer = look(block, at | 0, kept | 0, toleranceMs);
      }
      if (!watermark.hasRisen()) return answer;
    }
  }

  return ownershipBy(memory, capacity, writer, watermark, ownerAt);
}

/** A handle that looks up by `ownerAt`, which other code may do on the same words. */
export function ownershipBy(
  memory: Region,
  capacity: Capacity,
  writer: SlotWriter,
  watermark: Watermark,
  ownerAt: Ownership["ownerAt"],
): Ownership {
  const { resources } = capacity;
  return {
    ownerAt,
    claim(resource, owner, start, end) {
      assertEvidence(capacity, resource, owner, start, end);
      const kept = watermark.load();
      if (end <= kept) return false;
      if (end - kept > HORIZON_MS)
        throw new RangeError(
          `claim ends at ${end}, more than ${HORIZON_MS} ms after watermark ${kept}: trim first`,
        );
      writer.claim(blockOf(resource), owner + 1, Math.max(start, kept) | 0, end | 0);
      return true;
    },
    trim(to) {
      assertTime("watermark", to);
      const before = watermark.load();
      for (let at = before; at < to; ) {
        // A horizon further on there is nothing left that would be compared with.
        at = at - before >= HORIZON_MS ? to : Math.min(at + STEP_MS, to);
        watermark.raise(at);
        for (let resource = 0; resource < resources; resource++) writer.forget(blockOf(resource), at | 0);
      }
    },
    rangesOf(resource) {
      assertResource(capacity, resource);
      const kept = watermark.load();
      const bounds = writer.boundsOf(blockOf(resource)).map((bound) => timeOf(bound, kept));
      const sorted = [kept, ...bounds.filter((bound) => bound > kept)].sort((a, b) => a - b);
      const ranges: Range[] = [];
      for (const [index, start] of sorted.slice(0, -1).entries()) {
        const answer = ownerAt(resource, start);
        if (answer !== NO_EVIDENCE) lay(ranges, start, sorted[index + 1]!, answer);
      }
      return ranges;
    },
    bytes: () => memory.byteLength,
  };
}

/** What one pass over a resource's chain says of the time with the low bits `t`. */
export type Lookup = (block: number, t: number, kept: number, toleranceMs: number) => number;

/** Repeats a lookup until the resource's version has stood still meanwhile. */
function untorn(memory: Region, look: Lookup): Lookup {
  return (block, t, kept, toleranceMs) => {
    for (;;) {
      const version = Atomics.load(memory, block + VERSION);
      const answer = look(block, t, kept, toleranceMs);
      if (Atomics.load(memory, block + VERSION) === version) return answer;
    }
  };
}

function answerIn(memory: Region, load: Load, first: number, t: number): number {
  let found = EMPTY;
  for (let block = first; block !== NONE; block = load(memory, block + NEXT)) {
    for (let slot = block + FIRST_SLOT; slot < block + BLOCK_WORDS; slot += SLOT_WORDS) {
      if (!isBefore(t, load(memory, slot + END))) continue;
      if (isBefore(t, load(memory, slot + START))) continue;
      found = laidOver(found, load(memory, slot + CODE));
    }
  }
  return found - 1;
}

/**
 * The same, and where no range covers `t`, what the nearest on both sides suggest. It is one pass, because a range may
 * grow over `t` between two. What ended by the watermark does not count.
 */
function answerAcross(
  memory: Region,
  load: Load,
  first: number,
  t: number,
  kept: number,
  toleranceMs: number,
): number {
  let found = EMPTY;
  let before = EMPTY;
  let after = EMPTY;
  let sinceEnd = Number.POSITIVE_INFINITY;
  let untilStart = Number.POSITIVE_INFINITY;
  for (let block = first; block !== NONE; block = load(memory, block + NEXT)) {
    for (let slot = block + FIRST_SLOT; slot < block + BLOCK_WORDS; slot += SLOT_WORDS) {
      const end = load(memory, slot + END);
      const start = load(memory, slot + START);
      const code = load(memory, slot + CODE);
      if (code === EMPTY) continue;
      if (isBefore(t, start)) {
        const distance = (start - t) | 0;
        if (distance <= untilStart) after = distance < untilStart ? code : laidOver(after, code);
        untilStart = Math.min(untilStart, distance);
      } else if (isBefore(t, end)) {
        found = laidOver(found, code);
      } else if (isBefore(kept, end)) {
        const distance = (t - end) | 0;
        if (distance <= sinceEnd) before = distance < sinceEnd ? code : laidOver(before, code);
        sinceEnd = Math.min(sinceEnd, distance);
      }
    }
  }
  if (found !== EMPTY) return found - 1;
  const isBridged = before === after && before > EMPTY && sinceEnd + untilStart <= toleranceMs;
  return isBridged ? inferred(before - 1) : NO_EVIDENCE;
}

/** What two ranges say together, or one and an empty slot. */
function laidOver(one: number, other: number): number {
  if (one === EMPTY || one === other) return other;
  return other === EMPTY ? one : SEVERAL;
}

/** Of times modulo 2^32 that are less than 2^31 apart. */
function isBefore(one: number, other: number): boolean {
  return ((one - other) | 0) < 0;
}

/**
 * The hand of the worker that claims and trims. No other thread writes, so its own loads are plain. They find what it
 * stored itself, or what the worker did that handed over to it: a handover synchronizes. What only the writer uses it
 * stores plainly too.
 */
export class SlotWriter {
  readonly #memory: Region;
  readonly #ranges: number;
  readonly #end: number;

  constructor(memory: Region, { resources, ranges }: Capacity) {
    this.#memory = memory;
    this.#ranges = ranges;
    this.#end = blockOf(resources + blocksPooled(ranges));
  }

  /** `first` is the resource's own block; times are from the watermark on. Throws where there is no room. */
  claim(first: number, code: number, start: number, end: number): void {
    const memory = this.#memory;
    const latest = memory[first + LATEST]!;
    if (latest === NONE || memory[latest + CODE] !== code || !this.#touches(latest, start, start))
      this.#claimAnywhere(first, code, start, end);
    else if (isBefore(memory[latest + END]!, end)) Atomics.store(memory, latest + END, end);
  }

  #claimAnywhere(first: number, code: number, start: number, end: number): void {
    const memory = this.#memory;
    let home = NONE;
    let last = NONE;
    for (let slot = first + FIRST_SLOT; this.#isUsed(slot); slot = this.#after(slot)) {
      last = slot;
      if (memory[slot + CODE] !== code || !this.#touches(slot, start, end)) continue;
      if (home === NONE) home = slot;
      else {
        // Ranges of one owner do not touch, so that what the claim joins needs no second look.
        start = earlier(start, memory[slot + START]!);
        end = later(end, memory[slot + END]!);
      }
    }
    if (home === NONE) {
      const slot = this.#append(first, last);
      this.#fill(first, slot, code, start, end);
      this.#noteEnd(first, slot);
      return;
    }
    this.#extend(first, home, start, end);
    this.#noteEnd(first, home);
    for (let slot = this.#after(home); this.#isUsed(slot); ) {
      // Another comes into the place of one removed.
      if (memory[slot + CODE] === code && this.#touches(slot, start, end)) this.#remove(first, slot);
      else slot = this.#after(slot);
    }
  }

  /** Removes what ends by the watermark `kept`, and clips what begins long before it. */
  forget(first: number, kept: number): void {
    const memory = this.#memory;
    for (let slot = first + FIRST_SLOT; this.#isUsed(slot); ) {
      if (!isBefore(kept, memory[slot + END]!)) {
        this.#remove(first, slot);
        continue;
      }
      if (((kept - memory[slot + START]!) | 0) > MOST_BEHIND_MS) Atomics.store(memory, slot + START, kept);
      slot = this.#after(slot);
    }
  }

  /** Starts and ends of all ranges of a resource. */
  boundsOf(first: number): number[] {
    const bounds: number[] = [];
    for (let slot = first + FIRST_SLOT; this.#isUsed(slot); slot = this.#after(slot))
      bounds.push(this.#memory[slot + START]!, this.#memory[slot + END]!);
    return bounds;
  }

  /** Empties a slot whose range stands elsewhere too, or is forgotten. */
  protected empty(first: number, slot: number): void {
    this.bump(first);
    Atomics.store(this.#memory, slot + CODE, EMPTY);
  }

  protected bump(first: number): void {
    Atomics.store(this.#memory, first + VERSION, this.#memory[first + VERSION]! + 1);
  }

  #extend(first: number, slot: number, start: number, end: number): void {
    const memory = this.#memory;
    const isEarlier = isBefore(start, memory[slot + START]!);
    const isLater = isBefore(memory[slot + END]!, end);
    if (isEarlier || isLater) this.bump(first);
    if (isEarlier) Atomics.store(memory, slot + START, start);
    if (isLater) Atomics.store(memory, slot + END, end);
  }

  /** Puts a range into an empty slot. */
  #fill(first: number, slot: number, code: number, start: number, end: number): void {
    const memory = this.#memory;
    Atomics.store(memory, slot + START, start);
    Atomics.store(memory, slot + END, end);
    this.bump(first);
    Atomics.store(memory, slot + CODE, code);
  }

  /** The slot after the `last` used one, in a new block if need be. */
  #append(first: number, last: number): number {
    if (last === NONE) return first + FIRST_SLOT;
    const slot = this.#after(last);
    if (slot !== NONE) return slot;
    const block = this.#takeBlock();
    Atomics.store(this.#memory, blockWith(last) + NEXT, block);
    return block + FIRST_SLOT;
  }

  /** Closes the gap by the last range, so that the slots in use stay the first of their chain. */
  #remove(first: number, slot: number): void {
    const memory = this.#memory;
    let last = slot;
    for (let next = this.#after(slot); this.#isUsed(next); next = this.#after(next)) last = next;
    this.empty(first, slot);
    if (last !== slot) {
      this.#fill(first, slot, memory[last + CODE]!, memory[last + START]!, memory[last + END]!);
      this.empty(first, last);
    }
    // The range removed is not the one that ends last. The range that swallowed it ends no earlier and is noted by now;
    // and when the one that ends last is forgotten, so are all others.
    if (memory[first + LATEST] === last) memory[first + LATEST] = last === slot ? NONE : slot;
    const block = blockWith(last);
    if (block !== first && last === block + FIRST_SLOT) this.#unlink(first, block);
  }

  #noteEnd(first: number, slot: number): void {
    const memory = this.#memory;
    const latest = memory[first + LATEST]!;
    if (latest === NONE || !isBefore(memory[slot + END]!, memory[latest + END]!))
      memory[first + LATEST] = slot;
  }

  /** Blocks come with all slots empty and none after them. */
  #takeBlock(): number {
    const memory = this.#memory;
    const free = memory[FREE]!;
    if (free !== NONE) {
      memory[FREE] = memory[free + VERSION]!;
      return free;
    }
    const unused = memory[UNUSED]!;
    if (unused === this.#end)
      throw new RangeError(`no room for another range: there were to be ${this.#ranges}`);
    memory[UNUSED] = unused + BLOCK_WORDS;
    return unused;
  }

  /** Gives back the last block of a chain. */
  #unlink(first: number, block: number): void {
    const memory = this.#memory;
    let before = first;
    while (memory[before + NEXT] !== block) before = memory[before + NEXT]!;
    Atomics.store(memory, before + NEXT, NONE);
    this.bump(first);
    memory[block + VERSION] = memory[FREE]!;
    memory[FREE] = block;
  }

  #isUsed(slot: number): boolean {
    return slot !== NONE && this.#memory[slot + CODE] !== EMPTY;
  }

  #touches(slot: number, start: number, end: number): boolean {
    return !isBefore(end, this.#memory[slot + START]!) && !isBefore(this.#memory[slot + END]!, start);
  }

  /** The next slot along the chain, or NONE. */
  #after(slot: number): number {
    const next = slot + SLOT_WORDS;
    if (next % BLOCK_WORDS !== 0) return next;
    const block = this.#memory[blockWith(slot) + NEXT]!;
    return block === NONE ? NONE : block + FIRST_SLOT;
  }
}

/** The block that a slot is in. */
function blockWith(slot: number): number {
  return slot - (slot % BLOCK_WORDS);
}
