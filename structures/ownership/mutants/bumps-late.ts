import type { Region } from "../../shared/layout.ts";
import honest, { attachSlots, CODE, EMPTY, SlotWriter } from "../competitors/seqlock-slots.ts";
import type { Capacity, OwnershipCompetitor } from "../ownership.contract.ts";

/** Takes evidence away before it says that something changes, so that a reader that has passed where it moved misses both. */
export default {
  ...honest,
  summary: "mutant: seqlock whose version goes up after a slot is emptied",

  attach: (memory, capacity) =>
    attachSlots(memory, capacity, new LateWriter(memory, capacity), (region, word) =>
      Atomics.load(region, word),
    ),
} satisfies OwnershipCompetitor;

export const breaks = "seesSomeInstant";

class LateWriter extends SlotWriter {
  readonly #memory: Region;

  constructor(memory: Region, capacity: Capacity) {
    super(memory, capacity);
    this.#memory = memory;
  }

  protected override empty(first: number, slot: number): void {
    Atomics.store(this.#memory, slot + CODE, EMPTY);
    this.bump(first);
  }
}
