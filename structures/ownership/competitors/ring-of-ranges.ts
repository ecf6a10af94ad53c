import {
  assertEvidence,
  assertResource,
  assertTime,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { addEvidence, answerAt, firstEndingAfter, keptRanges } from "../parts/ranges.ts";

/**
 * The four newest ranges of each resource in a ring of flat arrays; older ones, where there are any, in a Map.
 *
 * Promise: the specification; touching ranges of one owner are joined, and conflicts are ranges of their own.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. A worker's replica does not see another worker's claims; to ask about them, a worker must be sent
 *   the claims and make them itself.
 * Cost: claim O(1) amortized where it prolongs the last range or begins after it. Else O(ranges of the resource), which
 *   are taken out as objects and put back. Lookup O(1) in the ring, O(log ranges) in the overflow, and O(ranges) in a
 *   gap where there is a tolerance. Trim O(resources + ranges of the resources that overflow).
 * Memory: 82 bytes per resource, used or not. A resource with more than four ranges also has a Map entry, an array, and
 *   an object per range beyond the four.
 * Limits: none but the heap.
 * Bet: flows are asked about soon after they end, so that what older ranges cost hardly counts, and no arena is needed.
 * Source: a ring buffer that spills into a sorted list; its premise is Netflix' FlowCollector, which asks a minute or
 *   two after the fact.
 *
 * Place p, in 0 .. 3, of resource r:
 *
 *     times     float64 at 2 x (4 r + p): start and end
 *     owners    int32 at 4 r + p: owner, or CONFLICT
 *     newest    uint8 at r: the place of the newest range; around the ring before it, the next older ones
 *     counts    uint8 at r: ranges in the ring
 *     overflow  r's older ranges, sorted; only where the ring is full
 */
export default {
  summary: "the four newest ranges in a flat ring, older ones in a Map, a private replica per worker",
  source: "ring buffer that spills into a sorted list",
  progress: "wait-free",
  hears: "claims",
  rule: "evidence",

  words: () => 0,

  format() {},

  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: its calls share variables, which is faster than fields.
  attach(_memory, capacity): Ownership {
    const { resources } = capacity;
    const times = new Float64Array(resources * RING_RANGES * 2);
    const owners = new Int32Array(resources * RING_RANGES);
    const newest = new Uint8Array(resources);
    const counts = new Uint8Array(resources);
    const overflow = new Map<number, Range[]>();
    let kept = 0;

    /** Index into `owners`, and half of the one into `times`, of the range of a ring that has `age` newer ones. */
    function placeOf(resource: number, age: number): number {
      return resource * RING_RANGES + ((newest[resource]! - age) & (RING_RANGES - 1));
    }

    function rangeAt(place: number): Range {
      return { start: times[2 * place]!, end: times[2 * place + 1]!, owner: owners[place]! };
    }

    /** All ranges of a resource as objects; the ones in the overflow are not copied. */
    function takeOut(resource: number): Range[] {
      const ranges = [...(overflow.get(resource) ?? [])];
      for (let age = counts[resource]! - 1; age >= 0; age--) ranges.push(rangeAt(placeOf(resource, age)));
      return ranges;
    }

    function putBack(resource: number, ranges: Range[]): void {
      counts[resource] = 0;
      for (const { start, end, owner } of ranges.splice(-RING_RANGES)) append(resource, start, end, owner);
      if (ranges.length > 0) overflow.set(resource, ranges);
      else overflow.delete(resource);
    }

    function append(resource: number, start: number, end: number, owner: number): void {
      if (counts[resource] === RING_RANGES) spill(resource, rangeAt(placeOf(resource, RING_RANGES - 1)));
      else counts[resource]!++;
      newest[resource] = (newest[resource]! + 1) & (RING_RANGES - 1);
      const place = placeOf(resource, 0);
      times[2 * place] = start;
      times[2 * place + 1] = end;
      owners[place] = owner;
    }

    function spill(resource: number, oldest: Range): void {
      const older = overflow.get(resource);
      if (older === undefined) overflow.set(resource, [oldest]);
      else older.push(oldest);
    }

    /** What a range covers at `t`, without a look at gaps. */
    function knownAt(resource: number, t: number): number {
      const count = counts[resource]!;
      for (let age = 0; age < count; age++) {
        const place = placeOf(resource, age);
        if (times[2 * place]! <= t) return t < times[2 * place + 1]! ? owners[place]! : NO_EVIDENCE;
      }
      const older = count === RING_RANGES ? overflow.get(resource) : undefined;
      return older === undefined ? NO_EVIDENCE : answerAt(older, t, kept, 0);
    }

    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        const last = placeOf(resource, 0);
        const lastEnd = times[2 * last + 1]!;
        // In-order claims end here: the first one, one that continues the last range, and one that begins after it.
        if (counts[resource] === 0) append(resource, start, end, owner);
        else if (start >= times[2 * last]! && start <= lastEnd && owner === owners[last])
          times[2 * last + 1] = Math.max(lastEnd, end);
        else if (start >= lastEnd) append(resource, start, end, owner);
        else {
          const ranges = takeOut(resource);
          addEvidence(ranges, { start, end, owner });
          putBack(resource, ranges);
        }
        return true;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        if (!(t >= kept)) return NO_EVIDENCE;
        const known = knownAt(resource, t);
        if (known !== NO_EVIDENCE || !(toleranceMs > 0)) return known;
        return answerAt(takeOut(resource), t, kept, toleranceMs);
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark <= kept) return;
        kept = watermark;
        for (const [resource, older] of overflow) {
          const forgotten = firstEndingAfter(older, watermark);
          if (forgotten === older.length) overflow.delete(resource);
          else if (forgotten > 0) older.splice(0, forgotten);
        }
        // A ring loses ranges only where the overflow, which holds older ones, has lost all of its own.
        for (let resource = 0; resource < resources; resource++)
          while (
            counts[resource]! > 0 &&
            times[2 * placeOf(resource, counts[resource]! - 1) + 1]! <= watermark
          )
            counts[resource]!--;
      },
      rangesOf(resource) {
        assertResource(capacity, resource);
        return keptRanges(takeOut(resource), kept);
      },
    };
  },
} satisfies OwnershipCompetitor;

/** Ranges in a ring: their times fill 64 bytes, a cache line's worth. A power of two, so that a mask goes around. */
const RING_RANGES = 4;
