import type { Region } from "../../shared/layout.ts";
import {
  assertEvidence,
  assertResource,
  assertTime,
  type Capacity,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { acrossGap, lay } from "../parts/ranges.ts";
import { WATERMARK_WORDS, Watermark } from "../parts/watermark.ts";

/**
 * One cell for every millisecond of every resource, in a ring of time that the watermark moves along.
 *
 * Promise: the specification word for word; a claim writes each millisecond it covers.
 * Progress: wait-free, but for a lookup that meets a trim, which then looks at the watermark again.
 * Threads: one worker claims and trims, any number look up beside it.
 * Cost: claim O(end - start), one load and at most one store per millisecond. Lookup O(1), a bridged one O(tolerance).
 *   Trim O(resources x milliseconds forgotten), one store for each.
 * Memory: 4 bytes per resource and millisecond of the window, rounded up to a power of two, used or not.
 * Limits: a claim that ends later than watermark + window is a RangeError, and so is a window longer than 2^30 ms. A
 *   watermark counts its raises modulo 2^32: a lookup must not sleep through exactly that many.
 * Bet: nothing looks up faster while the cells fit the cache, and nothing claims slower.
 * Source: the dense model that jeffparsons/rangemap tests its maps against.
 *
 *     0 .. 31       watermark                            written by the writer, read by all
 *     32 .. 63      cleared: the watermark whose trim    written by the writer, read by readers
 *                   has emptied its cells; behind the
 *                   other only while a trim is in progress
 *     64 ..         resource x ring + t mod ring:        written by the writer, read by all
 *                   0 unclaimed, owner + 1, or -1 claimed by several
 */
export default {
  summary: "one shared cell per resource and millisecond, in a ring of time",
  source: "dense test model of jeffparsons/rangemap",
  progress: "lock-free",
  hears: "claims",
  rule: "evidence",

  words: ({ resources, windowMs }) => CELLS + resources * ringOf(windowMs),

  format(memory) {
    memory.fill(UNCLAIMED);
  },

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: its calls share variables, which is faster than fields.
  attach(memory, capacity): Ownership {
    const { resources, windowMs } = capacity;
    const [watermark, cleared] = watermarksOf(memory);
    const cellOf = cellsIn(capacity);

    function answerAt(resource: number, t: number): number {
      // Until a trim has cleared them, the cells of times that it brings into the window hold the owners of a window
      // ago. The bound is therefore what has been cleared, and nothing past it can have been claimed yet.
      const from = cleared.load();
      if (!(t >= from && t < from + windowMs)) return NO_EVIDENCE;
      const cell = Atomics.load(memory, cellOf(resource, t));
      // The cell may have been cleared, and claimed for t + ring, before it was read. The writer raises the watermark
      // before it clears, so a look at it afterwards shows whether it did.
      if (cell === UNCLAIMED || t < watermark.load()) return NO_EVIDENCE;
      return cell === CLAIMED_BY_SEVERAL ? CONFLICT : cell - 1;
    }

    /** The end of the last stretch before `t` in which something was claimed, as a range of its last millisecond. */
    function claimedBefore(
      resource: number,
      t: number,
      toleranceMs: number,
      kept: number,
    ): Range | undefined {
      const from = Math.max(kept, t - toleranceMs);
      for (let start = t - 1; start >= from; start--) {
        const owner = answerAt(resource, start);
        if (owner !== NO_EVIDENCE) return { start, end: start + 1, owner };
      }
      return undefined;
    }

    function claimedAfter(resource: number, t: number, toleranceMs: number): Range | undefined {
      const last = Math.min(t + toleranceMs, Number.MAX_SAFE_INTEGER);
      for (let start = t + 1; start <= last; start++) {
        const owner = answerAt(resource, start);
        if (owner !== NO_EVIDENCE) return { start, end: start + 1, owner };
      }
      return undefined;
    }

    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        // The writer is not in the middle of a trim, so what the watermark has passed is cleared too.
        const kept = watermark.load();
        if (end > kept + windowMs)
          throw new RangeError(`claim ends at ${end}, past the ${windowMs} ms after watermark ${kept}`);
        const content = owner === CONFLICT ? CLAIMED_BY_SEVERAL : owner + 1;
        for (let t = Math.max(start, kept); t < end; t++) {
          // Load then store is enough because only one worker writes; each cell changes in one store.
          const cell = cellOf(resource, t);
          const before = Atomics.load(memory, cell);
          if (before === UNCLAIMED) Atomics.store(memory, cell, content);
          else if (before !== content) Atomics.store(memory, cell, CLAIMED_BY_SEVERAL);
        }
        return end > kept;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        const at = Math.floor(t);
        const known = answerAt(resource, at);
        const kept = watermark.load();
        const isInWindow = at >= kept && at < kept + windowMs;
        if (known !== NO_EVIDENCE || toleranceMs <= 0 || !isInWindow) return known;
        const after = claimedAfter(resource, at, Math.min(toleranceMs, windowMs));
        if (after === undefined) return NO_EVIDENCE;
        return acrossGap(claimedBefore(resource, at, toleranceMs, kept), after, kept, toleranceMs);
      },
      trim(to) {
        assertTime("watermark", to);
        const before = watermark.load();
        if (to <= before) return;
        watermark.raise(to);
        const forgottenUntil = Math.min(to, before + windowMs);
        for (let resource = 0; resource < resources; resource++)
          for (let t = before; t < forgottenUntil; t++) Atomics.store(memory, cellOf(resource, t), UNCLAIMED);
        cleared.raise(to);
      },
      rangesOf(resource) {
        assertResource(capacity, resource);
        const ranges: Range[] = [];
        const from = watermark.load();
        // Past the last time there is, t + 1 may be t.
        const past = Math.min(from + windowMs, Number.MAX_SAFE_INTEGER);
        for (let t = from; t < past; t++) {
          const owner = answerAt(resource, t);
          if (owner !== NO_EVIDENCE) lay(ranges, t, t + 1, owner);
        }
        return ranges;
      },
      bytes: () => memory.byteLength,
    };
  },
} satisfies OwnershipCompetitor;

const CELLS = 2 * WATERMARK_WORDS;
const UNCLAIMED = 0;
const CLAIMED_BY_SEVERAL = -1;

/** The watermark, and the one whose trim is over. */
export function watermarksOf(memory: Region): [Watermark, Watermark] {
  return [new Watermark(memory), new Watermark(memory.subarray(WATERMARK_WORDS))];
}

/** Where the millisecond `t` of a resource has its cell. */
function cellsIn({ windowMs }: Pick<Capacity, "windowMs">): (resource: number, t: number) => number {
  const ring = ringOf(windowMs);
  // The low 32 bits of t are enough, as the ring's length divides 2^32; a modulo of 2^40 would cost a division.
  return (resource, t) => CELLS + resource * ring + (t & (ring - 1));
}

/** The greatest power of two that is an int32. */
const LONGEST_RING_MS = 2 ** 30;

/** Milliseconds around the ring: the window rounded up to a power of two. */
function ringOf(windowMs: number): number {
  if (windowMs > LONGEST_RING_MS)
    throw new RangeError(`a window of ${windowMs} ms is longer than ${LONGEST_RING_MS}`);
  return 2 ** Math.ceil(Math.log2(windowMs));
}
