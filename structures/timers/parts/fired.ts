import type { Handles } from "./handles.ts";

/**
 * What someone else's clock has fired and `advance` has not handed over yet, the first fired in front. Until it is
 * handed over such a timer is live: it can be withdrawn, and then fire again.
 */
export class Fired {
  readonly #handles: Handles;
  /** By place: 1 while its live timer has fired. */
  readonly #flags: Uint8Array;
  /** Handles in the order of firing, from `#first` on; one that was withdrawn stays, without its flag. */
  #queue: number[] = [];
  #first = 0;
  #size = 0;

  constructor(handles: Handles, capacity: number) {
    this.#handles = handles;
    this.#flags = new Uint8Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** For a live handle that has not fired. */
  push(handle: number): void {
    this.#flags[this.#handles.placeOf(handle)] = 1;
    this.#queue.push(handle);
    this.#size++;
  }

  /** For a live handle: whether it had fired. It has not any more. */
  withdraw(handle: number): boolean {
    const place = this.#handles.placeOf(handle);
    if (this.#flags[place] === 0) return false;
    this.#flags[place] = 0;
    this.#size--;
    return true;
  }

  /** Writes handles to `out` from index `count` up to `limit` and releases them; returns the new count. */
  handOver(out: Int32Array, count: number, limit: number): number {
    while (count < limit && this.#first < this.#queue.length) {
      const handle = this.#queue[this.#first++]!;
      // A timer that was withdrawn and has fired again is here twice. The first of the two is as good as the second,
      // which finds its handle dead.
      if (!this.#handles.isLive(handle) || !this.withdraw(handle)) continue;
      this.#handles.release(handle);
      out[count++] = handle;
    }
    if (this.#first === this.#queue.length) {
      this.#queue.length = 0;
      this.#first = 0;
    }
    return count;
  }
}
