import { assertLinearWords, type Region } from "../../shared/layout.ts";
import {
  assertResource,
  type Capacity,
  type Ownership,
  type OwnershipCompetitor,
} from "../ownership.contract.ts";
import { type LookupCode, lookupCode } from "../parts/wasm.ts";
import { Watermark } from "../parts/watermark.ts";
import seqlockSlots, { ownershipBy, SlotWriter } from "./seqlock-slots.ts";

/**
 * seqlock-slots with its lookup in WebAssembly, from the watermark to the last look at the version; it claims and trims
 * as seqlock-slots does.
 *
 * Promise: that of seqlock-slots: the words, their writer and what a lookup loads are the same.
 * Progress: as seqlock-slots.
 * Threads: as seqlock-slots; each worker has an instance of the code.
 * Cost: a lookup is one call from JavaScript, and then as many loads as in seqlock-slots, or a few more. An atomic load
 *   is an instruction and no call, so it reads all of a slot without asking first.
 * Memory: that of seqlock-slots, in whole pages of 64 KiB, and each worker's instance.
 * Limits: as seqlock-slots, and 4 GiB; and the words must lie in a WebAssembly.Memory, which has to be handed to every
 *   worker too.
 * Bet: a yardstick. Some 15 calls to load a word are most of what a lookup costs in JavaScript. Without them it takes
 *   less than half the time, unless the lines have to come from far away.
 * Source: seqlock-slots; WebAssembly threads proposal for the atomics.
 *
 * The bytes are drawn in seqlock-slots.ts, the code is in ownership.wat.
 */
export default {
  summary: "seqlock-slots with its lookup in WebAssembly",
  source: "seqlock-slots; WebAssembly threads",
  progress: seqlockSlots.progress,
  hears: "claims",
  rule: "evidence",
  yardstickOf: "seqlock-slots",
  needsLinear: true,

  words(capacity) {
    const words = seqlockSlots.words(capacity);
    assertLinearWords(words);
    return words;
  },

  format: seqlockSlots.format,

  attach: (memory, capacity, _worker, linear) => attachCode(memory, capacity, lookupCode(memory, linear)),
} satisfies OwnershipCompetitor;

/** A handle from its code, which mutants replace. */
export function attachCode(
  memory: Region,
  capacity: Capacity,
  { ownerAt, bridgedOwnerAt }: LookupCode,
): Ownership {
  const { resources } = capacity;
  return ownershipBy(
    memory,
    capacity,
    new SlotWriter(memory, capacity),
    new Watermark(memory),
    (resource, t, toleranceMs = 0) => {
      if (resource >>> 0 !== resource || resource >= resources) assertResource(capacity, resource);
      return toleranceMs > 0 ? bridgedOwnerAt(resource, t, toleranceMs) : ownerAt(resource, t);
    },
  );
}
