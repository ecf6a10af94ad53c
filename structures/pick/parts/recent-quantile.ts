/** The value below or at which a share of the latest whole numbers lie, kept up to date with each that comes. */
export class RecentQuantile {
  /** Of the sorted numbers the one at this share of them, rounded up; 0 while there is none. */
  value = 0;
  readonly #share: number;
  /** In the order in which they came, round and round. */
  readonly #latest: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #oldest = 0;

  /** Of the `most` latest numbers, for a share above 0 and up to 1. */
  constructor(most: number, share: number) {
    this.#share = share;
    this.#latest = new Float64Array(most);
    this.#sorted = new Float64Array(most);
  }

  add(value: number): void {
    if (this.#count === this.#latest.length) this.#removeSorted(this.#latest[this.#oldest]!);
    this.#latest[this.#oldest] = value;
    this.#oldest = (this.#oldest + 1) % this.#latest.length;
    this.#insertSorted(value);
    this.value = this.#sorted[Math.ceil(this.#share * this.#count) - 1]!;
  }

  #insertSorted(value: number): void {
    const at = this.#firstFrom(value);
    this.#sorted.copyWithin(at + 1, at, this.#count);
    this.#sorted[at] = value;
    this.#count++;
  }

  #removeSorted(value: number): void {
    const at = this.#firstFrom(value);
    this.#sorted.copyWithin(at, at + 1, this.#count);
    this.#count--;
  }

  /** Where among the sorted numbers the first stands that is not below `value`. */
  #firstFrom(value: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
