import { STRIDE_WORDS } from "../../shared/layout.ts";
import { foldAt, foldBack } from "../parts/rotation.ts";
import type { PickCompetitor, Picker, PickSetup } from "../pick.contract.ts";
import shuffledRoundRobin from "./shuffled-round-robin.ts";

/**
 * shuffled-round-robin as an object that reads the field of its array twice for a pick, once for the element and once for
 * the length.
 *
 * Promise: that of shuffled-round-robin.
 * Progress: as shuffled-round-robin.
 * Threads: as shuffled-round-robin.
 * Cost: as shuffled-round-robin, and the field of the array and its length are read, where the engine does not keep them.
 * Memory: as shuffled-round-robin.
 * Limits: as shuffled-round-robin.
 * Bet: an engine that compiles for speed reads the field once by itself, so that a local copy in the source saves nothing.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Increment and Modulo, before its
 *   note on the local variable.
 *
 * The memory is that of shuffled-round-robin, word for word.
 */
export default {
  ...shuffledRoundRobin,
  summary: "shuffled-round-robin that reads the field of its array for the element and for the length",
  source: "Portmann, Randomized Round Robin: Increment and Modulo, without its local variable",
  variantOf: "shuffled-round-robin",
  attach: (memory, setup) => new FieldPicker(memory, setup),
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;

/** All of it but `pick` is what shuffled-round-robin-local has, too. */
export class FieldPicker implements Picker {
  readonly memory: Int32Array;
  readonly rotation: Int32Array;
  readonly fold: number;

  constructor(memory: Int32Array, { backends }: PickSetup) {
    this.memory = memory;
    this.rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    this.fold = foldAt(backends);
  }

  pick(): number {
    const ticket = Atomics.add(this.memory, NEXT, 1);
    if (ticket >= this.fold) foldBack(this.memory, NEXT, this.fold);
    return this.rotation[ticket % this.rotation.length]!;
  }
}
