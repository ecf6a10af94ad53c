import { type Region, wholeStrides } from "../../shared/layout.ts";
import { assertSetup, type SlotsCompetitor } from "../slots.contract.ts";

/**
 * A counter of clients for each slot. The counters stand next to each other, not each on a line of its own. A search
 * reads them all, and sixteen to a line is a sixteenth of the lines.
 *
 *     word slot   clients of this slot   every worker: written atomically, read plainly
 */
export const countersOnly = {
  words(slots, workers) {
    assertSetup(slots, workers);
    return wholeStrides(slots);
  },
  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    for (let slot = 0; slot < slots; slot++) Atomics.store(memory, slot, 0);
  },
  inspect: (memory, slots) => ({
    loads: Array.from({ length: slots }, (_, slot) => Atomics.load(memory, slot)),
  }),
} satisfies Pick<SlotsCompetitor, "words" | "format" | "inspect">;

/**
 * Looks at all counters for a least loaded slot: of several, the first from `start` on, round the ring. That has nothing
 * to do with when the slot comes due, so that no client's first heartbeat is systematically near or far.
 *
 * What it finds is a slot and what its counter held when it was read. The others held as much or more, each when it was
 * read: they were not read at one moment.
 *
 * Plain loads, because no order of them would make one moment of many, and an atomic one costs as much as several. A
 * stale value is an older one. While slots are only taken it is lower than the true one, never higher, and a worker
 * sees what it has written itself. The promises made for filling rest on nothing else.
 */
export class LeastLoadedSearch {
  slot = 0;
  load = 0;
  readonly #memory: Region;
  readonly #slots: number;
  readonly #start: number;

  constructor(memory: Region, slots: number, start: number) {
    this.#memory = memory;
    this.#slots = slots;
    this.#start = start;
  }

  search(): void {
    const memory = this.#memory;
    const slots = this.#slots;
    const start = this.#start;
    let least = start;
    let load = memory[start]!;
    for (let slot = start + 1; slot < slots; slot++) {
      const other = memory[slot]!;
      if (other < load) {
        load = other;
        least = slot;
      }
    }
    for (let slot = 0; slot < start; slot++) {
      const other = memory[slot]!;
      if (other < load) {
        load = other;
        least = slot;
      }
    }
    this.slot = least;
    this.load = load;
  }
}
