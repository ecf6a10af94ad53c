import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sum } from "../../statistics.ts";
import { Random } from "../../words/random.ts";
import { allocationOf, type Heap, type Pause } from "./allocation.ts";

/** A heap that is known: what readings take, what V8 does beside the operations, and when there was a collection. */
class KnownHeap implements Heap {
  readonly #addsUp: boolean;
  /** Of each block that was read. */
  readonly sizes: number[] = [];
  #size = 0;
  #total = 0;
  #unread = 0;
  #collections: Pause[] = [];
  readonly #random = new Random(1);
  readonly #bytes: number;
  readonly #youngBytes: number;

  constructor(bytes: number, youngBytes = Number.POSITIVE_INFINITY, addsUp = false) {
    this.#bytes = bytes;
    this.#youngBytes = youngBytes;
    this.#addsUp = addsUp;
  }

  run(operations: number): number {
    this.sizes.push(operations);
    this.#allocate(operations * this.#bytes);
    // Now and then V8 allocates for itself, or frees what it swept.
    if (this.#random.fraction() < 0.1) this.#size += this.#random.fraction() < 0.5 ? 5_000 : -9_000;
    return 0;
  }

  read(): number {
    this.#allocate(472);
    return this.#size;
  }

  /** By whole buffers. */
  total(): number | undefined {
    return this.#addsUp ? 262_144 * Math.floor(this.#total / 262_144) : undefined;
  }

  async collected() {
    const seen = this.#collections;
    this.#collections = [];
    return seen;
  }

  end() {}

  #allocate(bytes: number): void {
    this.#size += bytes;
    this.#total += bytes;
    this.#unread += bytes;
    if (this.#unread < this.#youngBytes) return;
    this.#size -= this.#unread;
    this.#unread = 0;
    this.#collections.push({ startTime: performance.now(), duration: 1 });
  }
}

describe("what an operation allocates", () => {
  for (const [what, bytes, heap] of [
    ["nothing", 0, new KnownHeap(0)],
    ["an object", 48, new KnownHeap(48)],
    ["an object, in one of three operations", 16, new KnownHeap(16)],
    ["some bytes, between collections", 48, new KnownHeap(48, 100_000)],
    ["more than a collection leaves alone, in fewer operations", 4_096, new KnownHeap(4_096, 200_000)],
    ["more than that in each, about, where V8 adds it up", 5_000_000, new KnownHeap(5_000_000, 1e6, true)],
  ] as const)
    it(`is known of ${what}`, async () => {
      const { bytes: found, operations } = await allocationOf(heap, 100, heap);
      assert.ok(Math.abs(found! - bytes) <= (bytes < 1e6 ? 0 : 0.02 * bytes), `${found}`);
      assert.equal(operations, sum(heap.sizes));
    });

  it("leaves out what a batch that awaits allocates for itself", async () => {
    const heap = new KnownHeap(0);
    const runAsync = async (operations: number) => {
      for (let index = 0; index <= operations; index++) heap.read();
      return 0;
    };
    for (const batch of [1, 3, 100]) assert.equal((await allocationOf({ runAsync }, batch, heap)).bytes, 472);
  });

  it("is not known where no block was without a collection", async () => {
    const heap = new KnownHeap(5_000_000, 1e6);
    const { bytes, collections } = await allocationOf(heap, 1, heap);
    assert.equal(bytes, undefined);
    assert.equal(collections, heap.sizes.length);
  });

  it("is measured in no larger blocks than the runner allows", async () => {
    const heap = new KnownHeap(8);
    await allocationOf({ mostOperations: 3, run: (operations) => heap.run(operations) }, 100, heap);
    assert.deepEqual(new Set(heap.sizes), new Set([3]));
  });

  it("is found on the heap of this thread", async () => {
    let kept: unknown;
    const made = [() => ({ a: 1 }), () => [{ a: 1 }, { a: 2 }]].map((make) => ({
      run(operations: number) {
        for (let done = 0; done < operations; done++) kept = make();
        return 0;
      },
      async runAsync(operations: number) {
        return this.run(operations);
      },
    }));
    const found: number[] = [];
    for (const { run, runAsync } of made)
      for (const runner of [{ run }, { run, runAsync }]) {
        run(10_000);
        found.push((await allocationOf(runner, 100)).bytes!);
      }
    const [one, oneAsync, two, twoAsync] = found as [number, number, number, number];
    assert.ok(kept !== undefined && one >= 16);
    for (const more of [two - one, twoAsync - oneAsync]) assert.ok(more >= 16, `${found}`);
  });
});
