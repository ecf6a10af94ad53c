import type { OwnershipCompetitor } from "../ownership.contract.ts";
import seqlockSlots, { attachSlots, SlotWriter } from "./seqlock-slots.ts";

/**
 * seqlock-slots whose readers load slots plainly, between two atomic loads of the version.
 *
 * Promise: that of seqlock-slots, as far as loads are made in the order of the program. The language does not promise
 *   it. A plain load may be made after the atomic one that follows, and then find what the version was to warn of. But
 *   V8 calls a built-in function for Atomics.load, past which it moves no load, and x86-64 makes loads in order.
 * Progress: as seqlock-slots.
 * Threads: as seqlock-slots.
 * Cost: as seqlock-slots; of a lookup's loads three are calls, whatever it finds, instead of all.
 * Memory: as seqlock-slots.
 * Limits: as seqlock-slots, and x86-64 only: other machines let a load pass an earlier one.
 * Bet: while the lines are in the cache, most of the cost of a lookup in seqlock-slots is the calls. They buy an order
 *   that this machine gives for nothing.
 * Source: Boehm, "Can seqlocks get along with programming language memory models?" (2012), which says why this needs
 *   the machine's promise where the language makes none.
 *
 * The memory is that of seqlock-slots, word for word. A slot that is read plainly is never stale by more than the
 * duration of the lookup. Its loads come after the atomic load of the version that the writer raised before.
 */
export default {
  ...seqlockSlots,
  summary: "seqlock-slots with plain loads between two looks at the version",
  variantOf: "seqlock-slots",
  formerly: "shared-slots-plain-loads",
  unavailable: () => (process.arch === "x64" ? undefined : "it needs x86-64, which makes loads in order"),

  attach: (memory, capacity) =>
    attachSlots(memory, capacity, new SlotWriter(memory, capacity), (region, word) => region[word]!),
} satisfies OwnershipCompetitor;
