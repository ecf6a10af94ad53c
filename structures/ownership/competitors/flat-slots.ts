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
import { lay } from "../parts/ranges.ts";
import { assertInReach, assertWindow, earlier, later, REACH_MS, timeOf } from "../parts/words.ts";

/**
 * Four slots in no order in a block of 64 bytes per resource, more blocks where they are needed; a lookup combines all.
 *
 * Promise: the specification. It keeps the evidence itself, each owner's claims joined where they touch. Lookups find
 *   where two owners claim the same time: a claim never splits what another owner has claimed.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. A worker's replica does not see another worker's claims; to ask about them, a worker must be sent
 *   the claims and make them itself.
 * Cost: claim O(1) where it prolongs the slot that ends last, else O(slots of the resource). Lookup O(slots of the
 *   resource), and no branch depends on one of them alone. Trim O(resources + slots).
 * Memory: 64 bytes per resource, which is 16 per slot, and as much for every further four slots. Blocks grow by a
 *   quarter when none is free, and never become fewer.
 * Limits: a window of more than 24.8 days is a RangeError. So is a claim that ends later than that after the watermark,
 *   and a slot that would need more than 2^27 blocks.
 * Bet: reading one block through without a branch is quicker than searching the fewest ranges. Where a resource has
 *   many ranges it is not.
 * Source: the inline entries of LLVM's IntervalMap, cut to the size of a cache line.
 *
 * A block, in words:
 *
 *     0          next: first word of the resource's next block, 0 for none; of a free block, of the next free one
 *     1          last: first word of the slot that ends last, 0 for none; only in a resource's own block
 *     2, 3       unused, so that a block is 64 bytes
 *     4 .. 15    four slots of start and end, in ms modulo 2^32, and owner + 1, or -1 for CONFLICT; all 0 where empty
 *
 * The blocks of the resources come first, so that a block is found without a look at anything else. The slots in use
 * are the first ones of a resource's chain of blocks.
 */
export default {
  summary: "unordered slots in 64-byte blocks, combined without branches, a private replica per worker",
  source: "LLVM IntervalMap",
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
    const blocks = new Blocks(resources);
    let kept = 0;

    function answerAt(resource: number, at: number): number {
      const { words } = blocks;
      let some = 0;
      let every = -1;
      let block = resource * BLOCK_WORDS;
      do {
        for (let slot = block + SLOTS; slot < block + BLOCK_WORDS; slot += SLOT_WORDS) {
          // All ones where start <= at < end, else 0; never in an empty slot, which ends where it starts.
          const isInside = ((words[slot + START]! - 1 - at) & (at - words[slot + END]!)) >> 31;
          const code = words[slot + CODE]!;
          some |= isInside & code;
          every &= ~isInside | code;
        }
        block = words[block + NEXT]!;
      } while (block !== 0);
      // Codes are not 0, and have the same bits in all and in some only where they are equal.
      if (some === 0) return NO_EVIDENCE;
      return some === every && some !== CLAIMED_BY_SEVERAL ? some - 1 : CONFLICT;
    }

    /** The answer at a kept time that no slot covers. */
    function acrossGap(resource: number, at: number, toleranceMs: number): number {
      const { words } = blocks;
      let sinceMs = Number.POSITIVE_INFINITY;
      let untilMs = Number.POSITIVE_INFINITY;
      for (
        let slot = firstSlot(resource);
        slot !== 0 && words[slot + CODE] !== 0;
        slot = blocks.after(slot)
      ) {
        const endedMs = (at - words[slot + END]!) | 0;
        if (endedMs >= 0) sinceMs = Math.min(sinceMs, endedMs);
        else untilMs = Math.min(untilMs, (words[slot + START]! - at) | 0);
      }
      const gapMs = sinceMs + untilMs;
      if (gapMs > Math.min(toleranceMs, REACH_MS)) return NO_EVIDENCE;
      const before = answerAt(resource, (at - sinceMs - 1) | 0);
      const after = answerAt(resource, (at + untilMs) | 0);
      return before === after && before >= 0 ? inferred(before) : NO_EVIDENCE;
    }

    /** Adds a claim that does more than to prolong the slot that ends last. */
    function unite(resource: number, from: number, to: number, code: number): void {
      const { words } = blocks;
      let start = from;
      let end = to;
      let home = 0;
      let isHoley = false;
      let tail = 0;
      let slot = firstSlot(resource);
      for (; slot !== 0 && words[slot + CODE] !== 0; slot = blocks.after(slot)) {
        tail = slot;
        if (words[slot + CODE] !== code) continue;
        if (((words[slot + START]! - to) | 0) > 0 || ((from - words[slot + END]!) | 0) > 0) continue;
        start = earlier(start, words[slot + START]!);
        end = later(end, words[slot + END]!);
        if (home === 0) home = slot;
        else {
          blocks.empty(slot);
          isHoley = true;
        }
      }
      // The loop has come to the first empty slot, or to the end of the chain.
      if (home === 0) home = slot === 0 ? blocks.extend(tail) : slot;
      blocks.write(home, start, end, code);
      if (isHoley) pack(resource);
      else noteLast(resource, home);
    }

    /** To be called for every slot whose end has changed. */
    function noteLast(resource: number, slot: number): void {
      const { words } = blocks;
      const last = words[resource * BLOCK_WORDS + LAST]!;
      if (last === 0 || ((words[slot + END]! - words[last + END]!) | 0) > 0)
        words[resource * BLOCK_WORDS + LAST] = slot;
    }

    /** Moves the slots in use to the front of the chain, and frees the blocks that are left empty. */
    function pack(resource: number): void {
      const { words } = blocks;
      words[resource * BLOCK_WORDS + LAST] = 0;
      let tail = firstSlot(resource);
      let home = tail;
      for (let slot = home; slot !== 0; slot = blocks.after(slot)) {
        if (words[slot + CODE] === 0) continue;
        if (slot !== home) {
          blocks.write(home, words[slot + START]!, words[slot + END]!, words[slot + CODE]!);
          blocks.empty(slot);
        }
        noteLast(resource, home);
        tail = home;
        home = blocks.after(home);
      }
      blocks.cutAfter(tail);
    }

    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        assertInReach(end, kept);
        const { words } = blocks;
        const code = owner === CONFLICT ? CLAIMED_BY_SEVERAL : owner + 1;
        const from = Math.max(start, kept) | 0;
        const to = end | 0;
        const last = words[resource * BLOCK_WORDS + LAST]!;
        // An owner's slots do not touch, so none of them can start past the end of the one that ends last.
        if (
          last !== 0 &&
          words[last + CODE] === code &&
          ((from - words[last + START]!) | 0) >= 0 &&
          ((from - words[last + END]!) | 0) <= 0
        )
          words[last + END] = later(words[last + END]!, to);
        else unite(resource, from, to, code);
        return true;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        const sinceMs = t - kept;
        // In full precision, before the word drops the high bits; what is not a number fails too.
        if (!(sinceMs >= 0 && sinceMs < REACH_MS)) return NO_EVIDENCE;
        const at = t | 0;
        const known = answerAt(resource, at);
        return known !== NO_EVIDENCE || !(toleranceMs > 0) ? known : acrossGap(resource, at, toleranceMs);
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark <= kept) return;
        const { words } = blocks;
        // Nothing reaches farther, and a watermark may.
        const elapsedMs = Math.min(watermark - kept, REACH_MS);
        for (let resource = 0; resource < resources; resource++) {
          let isHoley = false;
          for (let slot = firstSlot(resource); slot !== 0; slot = blocks.after(slot)) {
            if (words[slot + CODE] === 0) break;
            if (((words[slot + END]! - kept) | 0) <= elapsedMs) {
              blocks.empty(slot);
              isHoley = true;
            } else if (((words[slot + START]! - kept) | 0) < elapsedMs) {
              // A start must not fall so far behind the watermark that its word would seem to lie ahead.
              words[slot + START] = watermark | 0;
            }
          }
          if (isHoley) pack(resource);
        }
        kept = watermark;
      },
      rangesOf(resource) {
        assertResource(capacity, resource);
        const { words } = blocks;
        const bounds = new Set<number>();
        for (
          let slot = firstSlot(resource);
          slot !== 0 && words[slot + CODE] !== 0;
          slot = blocks.after(slot)
        ) {
          bounds.add(timeOf(words[slot + START]!, kept));
          bounds.add(timeOf(words[slot + END]!, kept));
        }
        // Between two bounds that follow each other the answer is one and the same.
        const times = [...bounds].sort((a, b) => a - b);
        const ranges: Range[] = [];
        for (const [index, end] of times.entries()) {
          const start = times[index - 1];
          if (start === undefined) continue;
          const owner = answerAt(resource, start | 0);
          if (owner !== NO_EVIDENCE) lay(ranges, start, end, owner);
        }
        return ranges;
      },
      bytes: () => blocks.words.byteLength,
    };
  },
} satisfies OwnershipCompetitor;

const NEXT = 0;
const LAST = 1;
const SLOTS = 4;
/** 64 bytes: a cache line, if the heap puts the first one at the start of a line, else two neighbours. */
const BLOCK_WORDS = 16;

const START = 0;
const END = 1;
const CODE = 2;
const SLOT_WORDS = 3;

/** Has every bit, and so is what any other code becomes when combined with it. */
const CLAIMED_BY_SEVERAL = -1;

function firstSlot(resource: number): number {
  return resource * BLOCK_WORDS + SLOTS;
}

/** The most there may be: with one more, the index of its last word would not be an int32. */
const MOST_BLOCKS = 2 ** 27;

/**
 * One block for each resource, then the blocks that are handed out to continue them. Blocks and slots go by their first
 * word.
 */
class Blocks {
  words: Int32Array;
  /** Words of the blocks that have ever been in use. */
  #used: number;
  /** The first free block, or 0, which is a resource's. */
  #free = 0;

  constructor(resources: number) {
    assertBlocks(resources);
    this.words = new Int32Array(resources * BLOCK_WORDS);
    this.#used = this.words.length;
  }

  /** The next slot of the chain, or 0 behind the last one. */
  after(slot: number): number {
    const next = slot + SLOT_WORDS;
    if (next % BLOCK_WORDS !== 0) return next;
    const block = this.words[next - BLOCK_WORDS + NEXT]!;
    return block === 0 ? 0 : block + SLOTS;
  }

  write(slot: number, start: number, end: number, code: number): void {
    this.words[slot + START] = start;
    this.words[slot + END] = end;
    this.words[slot + CODE] = code;
  }

  empty(slot: number): void {
    this.write(slot, 0, 0, 0);
  }

  /** Continues the chain behind the block of its last slot; returns the first slot of the new block. */
  extend(slot: number): number {
    const block = this.#take();
    this.words[blockOf(slot) + NEXT] = block;
    return block + SLOTS;
  }

  /** Frees the blocks behind the one of `slot`, whose slots are all empty. */
  cutAfter(slot: number): void {
    let block = this.words[blockOf(slot) + NEXT]!;
    this.words[blockOf(slot) + NEXT] = 0;
    while (block !== 0) {
      const next = this.words[block + NEXT]!;
      this.words[block + NEXT] = this.#free;
      this.#free = block;
      block = next;
    }
  }

  #take(): number {
    if (this.#free === 0) return this.#takeFresh();
    const block = this.#free;
    this.#free = this.words[block + NEXT]!;
    this.words[block + NEXT] = 0;
    return block;
  }

  #takeFresh(): number {
    if (this.#used === this.words.length) this.#grow();
    const block = this.#used;
    this.#used += BLOCK_WORDS;
    return block;
  }

  #grow(): void {
    const before = this.words.length / BLOCK_WORDS;
    assertBlocks(before + 1);
    // By a quarter, not by doubling: most blocks are there from the start, and few resources need a second one.
    const words = new Int32Array(Math.min(before + Math.ceil(before / 4), MOST_BLOCKS) * BLOCK_WORDS);
    words.set(this.words);
    this.words = words;
  }
}

function assertBlocks(blocks: number): void {
  if (blocks > MOST_BLOCKS)
    throw new RangeError(
      `${blocks} blocks are more than ${MOST_BLOCKS}: trim and claim again, or use fewer resources`,
    );
}

function blockOf(slot: number): number {
  return slot - (slot % BLOCK_WORDS);
}
