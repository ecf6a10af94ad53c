import { full, Handles } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A wheel of 1,024 spokes of one tick, each an array of the same length. A timer takes the first free entry of its
 * spoke, and all spokes grow when one is full.
 *
 * Promise: everything the contract asks, but for the limit on one spoke; order due; never late.
 * Progress: wait-free, but for the runtime's allocation when the spokes grow.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh read a spoke from its start to the first free entry; cancel writes one. advance and nextExpiry
 *   read all entries of each spoke on the way, tick by tick, including free ones and ones of later rotations. There is
 *   no bitmap. Growing copies all.
 * Memory: private. 8 bytes per entry. There are 1,024 times as many entries as the fullest spoke ever held, rounded up
 *   to a power of two, 16 at least. 12 bytes per place for handles.
 * Limits: skew. One tick with many timers makes all spokes that long for ever: 65,537 timers of one tick take 1 GiB.
 *   Timers whose deadlines agree modulo 1,024 share a spoke. With 131,072 in one, add and refresh throw a RangeError
 *   although a larger set is not full.
 * Bet: adding and sweeping read memory in order and chase no pointers, so it competes while spokes stay short. One
 *   burst ends that.
 * Source: Agrona's DeadlineTimerWheel. It keeps a long per entry, whose free value is a deadline, and scans as here.
 *   Its tick is any power of two of its unit, the caller's tick here. It moves by one tick in each poll. Here advance
 *   goes on to `now`, and goes straight to the nearest due after a rotation on which nothing was.
 */
export default {
  ...privateToThread,
  summary:
    "1,024 spokes as arrays of equal length, timers in the first free entry; all grow when one is full",
  source: "Agrona DeadlineTimerWheel",
  variantOf: "hashed-wheel",
  order: "deadline",
  // As many as one spoke can hold, so that no workload meets its limit.
  mostTimers: 2 ** 17,
  // Adding scans the tick's spoke for a free index, so that n timers of one tick take n squared steps.
  mostInOneTick: 2 ** 12,
  emulates:
    "handles with generations that survive refresh: Agrona's id is spoke and index; a table from places to entries",
  attach: (_memory, capacity) => new SpokeWheel(capacity),
} satisfies TimersCompetitor;

const SPOKE_BITS = 10;
const SPOKES = 2 ** SPOKE_BITS;
const SPOKE_MASK = SPOKES - 1;
/** Entries of a spoke: what Agrona begins with, and where the wheel has grown to 1 GiB. */
const FIRST_LENGTH = 16;
const LAST_LENGTH = 2 ** 17;

const ENTRY_WORDS = 2;
const HANDLE = 0;
const DEADLINE = 1;
/** In place of a handle: the entry is free. Zero, so that memory never used stays unused. */
const NONE = 0;

const NEVER = 0x7fff_ffff;

export class SpokeWheel implements TimerSet {
  readonly #capacity: number;
  readonly #handles: Handles;
  /** By place: index in the spoke, times SPOKES, plus the spoke: true however long the spokes grow. */
  readonly #positions: Int32Array;
  /** The entries of the first spoke, then those of the second, and on. */
  #wheel = new Int32Array(SPOKES * FIRST_LENGTH * ENTRY_WORDS);
  #length = FIRST_LENGTH;
  #size = 0;
  #clock = 0;
  /** Entries of the clock's own spoke that advance has been through: the due ones left over lie behind. */
  #polled = FIRST_LENGTH;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#handles = new Handles(capacity);
    this.#positions = new Int32Array(capacity);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    if (this.#size === this.#capacity) throw full(this.#capacity);
    const position = this.#vacancy(tick & SPOKE_MASK);
    const handle = this.#handles.take();
    this.#occupy(position, handle, tick);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#wheel[this.#entryAt(this.#positions[this.#handles.placeOf(handle)]!) + HANDLE] = NONE;
    this.#handles.release(handle);
    this.#size--;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    const old = this.#positions[this.#handles.placeOf(handle)]!;
    // Within a spoke its own entry will do, and a full spoke need not grow for it.
    const spoke = tick & SPOKE_MASK;
    const position = (old & SPOKE_MASK) === spoke ? old : this.#vacancy(spoke);
    this.#wheel[this.#entryAt(old) + HANDLE] = NONE;
    this.#occupy(position, handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const wheel = this.#wheel;
    const length = this.#length;
    let count = 0;
    // Whole spokes polled since something was due, and ticks from the clock to the nearest due met on them.
    let barren = 0;
    let nearest = NEVER;
    for (;;) {
      const clock = this.#clock;
      const first = (clock & SPOKE_MASK) * length * ENTRY_WORDS;
      const before = count;
      let index = this.#polled;
      for (; index < length && count < limit; index++) {
        const entry = first + index * ENTRY_WORDS;
        const handle = wheel[entry + HANDLE]!;
        if (handle === NONE) continue;
        const wait = (wheel[entry + DEADLINE]! - clock) | 0;
        if (wait === 0) {
          wheel[entry + HANDLE] = NONE;
          this.#handles.release(handle);
          this.#size--;
          out[count++] = handle;
        } else if (wait < nearest) nearest = wait;
      }
      this.#polled = index;
      const ahead = (now - clock) | 0;
      if (count >= limit || ahead <= 0) return count;
      if (this.#size === 0) {
        this.#clock = now | 0;
        return count;
      }
      if (count > before) {
        barren = 0;
        nearest = NEVER;
      }
      let step = 1;
      if (barren === SPOKES) {
        step = Math.min(ahead, nearest);
        barren = 0;
        nearest = NEVER;
      } else {
        barren++;
        nearest--;
      }
      this.#clock = (clock + step) | 0;
      this.#polled = 0;
    }
  }

  /** The very tick, for want of anything cheaper that is of use. */
  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    let nearest = this.#nearestIn(this.#clock, this.#polled);
    if (nearest === 0) return this.#clock;
    for (let step = 1; step <= SPOKES && nearest > step; step++) {
      nearest = Math.min(nearest, this.#nearestIn((this.#clock + step) | 0, 0));
    }
    return (this.#clock + nearest) | 0;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  /** Ticks from the clock to the nearest due in the spoke of `tick`, of entries `from` and on; NEVER if none is there. */
  #nearestIn(tick: number, from: number): number {
    const first = (tick & SPOKE_MASK) * this.#length;
    let nearest = NEVER;
    for (let index = first + from; index < first + this.#length; index++) {
      if (this.#wheel[index * ENTRY_WORDS + HANDLE] === NONE) continue;
      nearest = Math.min(nearest, (this.#wheel[index * ENTRY_WORDS + DEADLINE]! - this.#clock) | 0);
    }
    return nearest;
  }

  #entryAt(position: number): number {
    return ((position & SPOKE_MASK) * this.#length + (position >>> SPOKE_BITS)) * ENTRY_WORDS;
  }

  #occupy(position: number, handle: number, deadline: number): void {
    const entry = this.#entryAt(position);
    this.#wheel[entry + HANDLE] = handle;
    this.#wheel[entry + DEADLINE] = deadline;
    this.#positions[this.#handles.placeOf(handle)] = position;
  }

  /** The position of the first free entry of a spoke. Throws a RangeError when the spoke can grow no more. */
  #vacancy(spoke: number): number {
    const wheel = this.#wheel;
    const length = this.#length;
    const first = spoke * length * ENTRY_WORDS;
    for (let index = 0; index < length; index++) {
      if (wheel[first + index * ENTRY_WORDS + HANDLE] === NONE) return index * SPOKES + spoke;
    }
    this.#grow();
    return length * SPOKES + spoke;
  }

  #grow(): void {
    if (this.#length === LAST_LENGTH)
      throw new RangeError(`all ${LAST_LENGTH} entries of a spoke are in use`);
    const words = this.#length * ENTRY_WORDS;
    const grown = new Int32Array(SPOKES * 2 * words);
    for (let spoke = 0; spoke < SPOKES; spoke++) {
      grown.set(this.#wheel.subarray(spoke * words, (spoke + 1) * words), spoke * 2 * words);
    }
    this.#wheel = grown;
    this.#length *= 2;
  }
}
