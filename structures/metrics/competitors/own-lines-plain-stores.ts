import type { Region } from "../../shared/layout.ts";
import type { MetricsCompetitor } from "../metrics.contract.ts";
import { LOW_BITS, OwnCells, type Place } from "../parts/cells.ts";
import { inCells, ownLines } from "../parts/own.ts";
import ownLinesAtomic from "./own-lines.ts";

/**
 * The cells of own-lines with plain stores, but for the one in 2^31 that overflows.
 *
 * Promise: as own-lines on the engines and processors that there are. ECMAScript's memory model promises less: it does
 *   not say when a plain store is seen, nor that two reads see two plain stores in their order.
 * Progress: wait-free to add and to record, lock-free to read.
 * Threads: as own-lines.
 * Cost: one plain load and store to add, two to record.
 * Memory: as own-lines.
 * Limits: as own-lines. A compiler may keep a count in a register for as long as a loop lasts.
 * Bet: what is left of own-lines' cost is the atomic store, which waits until the processor's store buffer is empty.
 * Source: own-lines; Linux' local_t, of which other processors read what they may.
 *
 * parts/cells.ts lays out the words of a cell.
 */
export default {
  ...ownLinesAtomic,
  summary: "each worker counts on cache lines of its own, by plain stores; readers add up",
  source: "own-lines; Linux' local_t",
  variantOf: "own-lines",
  ...inCells(ownLines, (memory, place) => new PlainCells(memory, place)),
} satisfies MetricsCompetitor;

class PlainCells extends OwnCells {
  readonly #memory: Region;
  readonly #place: Place;

  constructor(memory: Region, place: Place) {
    super(memory, place);
    this.#memory = memory;
    this.#place = place;
  }

  override add(cell: number, n: number): void {
    const at = this.#place.first + cell * this.#place.step;
    const word = this.#memory[at]!;
    if (n <= LOW_BITS - (word & LOW_BITS)) this.#memory[at] = word + n;
    else super.add(cell, n);
  }
}
