import { STRIDE_WORDS } from "../shared/layout.ts";
import {
  assertClaim,
  assertResource,
  assertTime,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";

/**
 * One cell for every millisecond of every resource, in a ring of time that the watermark moves along.
 *
 * Promise: the specification word for word; a claim writes each millisecond it covers.
 * Progress: wait-free. A lookup is three loads, of two words and a cell, whatever the writer does.
 * Threads: one worker claims and trims, any number look up beside it.
 * Cost: claim O(end - start), one load and at most one store per millisecond; lookup O(1); trim O(resources x
 *   milliseconds forgotten), one store for each and two more.
 * Memory: 4 bytes per resource and millisecond of the window, used or not.
 * Limits: times up to 2^31 - 1 ms; a claim that ends later than watermark + window is a RangeError.
 * Bet: nothing looks up faster while the cells fit the cache, and nothing claims slower.
 * Source: the dense model that jeffparsons/rangemap tests its maps against.
 *
 *     word 0        watermark, ms                        written by the writer, read by all
 *     word 1        cleared, ms: the watermark whose     written by the writer, read by readers
 *                   trim has emptied its cells; behind
 *                   word 0 only while a trim is under way
 *     2 .. 31       dead, so that the two, which only trims write, have their line pair to themselves
 *     32 ..         resource x window + t mod window:    written by the writer, read by all
 *                   0 unclaimed, owner + 1, or -1 claimed by several
 */
export default {
  summary: "one shared cell per resource and millisecond, in a ring of time",
  source: "dense test model of jeffparsons/rangemap",
  progress: "wait-free",

  words: ({ resources, windowMs }) => CELLS + resources * windowMs,

  format(memory) {
    memory.fill(UNCLAIMED);
  },

  attach(memory, capacity): Ownership {
    const { resources, windowMs } = capacity;
    const cellOf = (resource: number, t: number) => CELLS + resource * windowMs + (t % windowMs);
    return {
      claim(resource, owner, start, end) {
        assertClaim(capacity, resource, owner, start, end);
        // The writer is not in the middle of a trim, so what the watermark has passed is cleared too.
        const watermark = Atomics.load(memory, WATERMARK);
        if (end > Math.min(LATEST_MS, watermark + windowMs))
          throw new RangeError(`claim ends at ${end}, past the ${windowMs} ms after watermark ${watermark}`);
        for (let t = Math.max(start, watermark); t < end; t++) {
          // Load then store is enough because only one worker writes; each cell changes in one store.
          const cell = cellOf(resource, t);
          const before = Atomics.load(memory, cell);
          if (before === UNCLAIMED) Atomics.store(memory, cell, owner + 1);
          else if (before !== owner + 1) Atomics.store(memory, cell, CLAIMED_BY_SEVERAL);
        }
        return end > watermark;
      },
      ownerAt(resource, t) {
        assertResource(capacity, resource);
        // Until a trim has cleared them, the cells of times that it brings into the window hold the owners of a window
        // ago; so the bound is what has been cleared, and nothing past it can have been claimed yet.
        const cleared = Atomics.load(memory, CLEARED);
        if (t < cleared || t >= cleared + windowMs) return NO_EVIDENCE;
        const cell = Atomics.load(memory, cellOf(resource, t));
        // The cell may have been cleared, and claimed for t + window, before it was read. The writer raises the
        // watermark before it clears, so a look at it afterwards tells.
        if (t < Atomics.load(memory, WATERMARK) || cell === UNCLAIMED) return NO_EVIDENCE;
        return cell === CLAIMED_BY_SEVERAL ? CONFLICT : cell - 1;
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark > LATEST_MS) throw new RangeError(`watermark ${watermark} is past ${LATEST_MS} ms`);
        const before = Atomics.load(memory, WATERMARK);
        if (watermark <= before) return;
        Atomics.store(memory, WATERMARK, watermark);
        const forgottenUntil = Math.min(watermark, before + windowMs);
        for (let resource = 0; resource < resources; resource++)
          for (let t = before; t < forgottenUntil; t++) Atomics.store(memory, cellOf(resource, t), UNCLAIMED);
        Atomics.store(memory, CLEARED, watermark);
      },
    };
  },
} satisfies OwnershipCompetitor;

const WATERMARK = 0;
const CLEARED = 1;
const CELLS = STRIDE_WORDS;
const UNCLAIMED = 0;
const CLAIMED_BY_SEVERAL = -1;
/** The watermark is an int32 word. */
const LATEST_MS = 2 ** 31 - 1;
