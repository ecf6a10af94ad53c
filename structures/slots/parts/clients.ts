import { allocateRegion } from "../../shared/layout.ts";
import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import type { SlotAllocator } from "../slots.contract.ts";
import type { WorkerSlots } from "../slots.laws.ts";

/**
 * The clients of one worker, and what it notes of them: every caller of an allocator, in examinations and in races, does
 * it through this. It checks every slot that it is given. A client at a stray one could be noted nowhere, and giving it
 * back would be the caller's fault and no longer the allocator's.
 */
export class Clients implements WorkerSlots {
  takes = 0;
  gives = 0;
  strays = 0;
  /** Clients that it has and could let go. */
  held = 0;
  /** By slot: takes less gives. Written by this worker only; others read it while the crew is at rest. */
  readonly loads: Int32Array;
  readonly #allocator: SlotAllocator;
  /** The slots of the clients held, in no order. */
  readonly #slots: Int32Array;
  readonly #state = new Int32Array(SFC32_WORDS);

  /**
   * `loads` has a word for each slot, 0 at first. `seed` decides which client leaves, by a stream of its own: an
   * allocator may be seeded alike. Holds `most` clients at most.
   */
  constructor(allocator: SlotAllocator, loads: Int32Array, most: number, seed: number) {
    this.#allocator = allocator;
    this.loads = loads;
    this.#slots = allocateRegion(most);
    seedSfc32(this.#state, 0, seed, CLIENTS_STREAM);
  }

  get counters(): Readonly<Record<string, number>> {
    return this.#allocator.counters?.() ?? {};
  }

  /** A client connects and stays for ever: it is noted and not held. Returns its slot. */
  admit(): number {
    const slot = this.#allocator.take();
    this.takes++;
    if (this.#isSlot(slot)) this.loads[slot]!++;
    else this.strays++;
    return slot;
  }

  /** A client connects and is held, which there must be room for. Returns its slot. */
  arrive(): number {
    const slot = this.admit();
    if (this.#isSlot(slot)) this.#slots[this.held++] = slot;
    return slot;
  }

  /** Removes a random one of the clients held, of which there must be one. Returns its slot. */
  leave(): number {
    const at = bounded(nextSfc32(this.#state, 0), this.held);
    const slot = this.#slots[at]!;
    this.#slots[at] = this.#slots[--this.held]!;
    this.#allocator.give(slot);
    this.gives++;
    this.loads[slot]!--;
    return slot;
  }

  /** All clients held leave, slot by slot: so they time out, one second after another, where a network fails. */
  leaveAll(): void {
    for (const slot of this.#slots.subarray(0, this.held).sort()) {
      this.#allocator.give(slot);
      this.loads[slot]!--;
    }
    this.gives += this.held;
    this.held = 0;
  }

  /** A random one of the clients held leaves and another takes its place at once. Returns the newcomer's slot. */
  replace(): number {
    this.leave();
    return this.arrive();
  }

  /** A client arrives or leaves at random, so that about `usual` are held and never more than there is room for. */
  arriveOrLeave(usual: number): number {
    const isFull = this.held === this.#slots.length;
    const leaves = isFull || bounded(nextSfc32(this.#state, 0), this.held + usual) < this.held;
    return leaves ? this.leave() : this.arrive();
  }

  #isSlot(slot: number): boolean {
    return slot >>> 0 === slot && slot < this.loads.length;
  }
}

const CLIENTS_STREAM = 1;
