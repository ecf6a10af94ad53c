import { placeMask } from "./handles.ts";

/**
 * What timer sets in one typed array have in common: where the clock and the count of live timers stand.
 *
 *     word 0   clock, a tick
 *     word 1   live timers
 */
export class RegionTimers {
  protected readonly memory: Int32Array;
  protected readonly capacity: number;
  /** Of the bits of a handle that are its place. */
  protected readonly mask: number;

  constructor(memory: Int32Array, capacity: number) {
    this.memory = memory;
    this.capacity = capacity;
    this.mask = placeMask(capacity);
  }

  get size(): number {
    return this.memory[LIVE]!;
  }

  get clock(): number {
    return this.memory[CLOCK]!;
  }
}

const CLOCK = 0;
const LIVE = 1;
