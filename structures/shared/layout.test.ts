import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  type Allocator,
  allocateBytes,
  allocateDoubles,
  allocateLinear,
  allocateRegion,
  allocateWith,
  STRIDE_BYTES,
  STRIDE_WORDS,
  wholeStrides,
} from "./layout.ts";

const EACH = { allocateRegion, allocateDoubles, allocateBytes } as const;

describe("allocation", () => {
  afterEach(() => allocateWith(undefined));

  for (const [name, allocate] of Object.entries(EACH)) {
    it(`${name} gives zeroed memory that shares no stride with any other`, () => {
      const one = allocate(3);
      const other = allocate(3);
      assert.equal(one.length, 3);
      assert.ok(one.every((element) => element === 0));
      assert.notEqual(one.buffer, other.buffer);
      assert.equal(one.byteOffset % STRIDE_BYTES, 0);
      assert.ok(one.byteOffset >= STRIDE_BYTES, "a dead stride before it");
      assert.ok(one.buffer.byteLength - one.byteOffset - one.byteLength >= STRIDE_BYTES, "and one after it");
    });

    it(`${name} gives one element where none is asked for, so that there is an address`, () =>
      assert.equal(allocate(0).length, 1));

    it(`${name} takes what another allocator gives, until that is taken back`, () => {
      const arena = new Arena();
      allocateWith(arena);
      const before = allocate(5);
      const after = allocate(5);
      assert.equal(before.buffer, arena.buffer);
      assert.equal(after.buffer, arena.buffer);
      assert.ok(after.byteOffset >= before.byteOffset + before.byteLength);
      assert.deepEqual(arena.asked, [before.byteLength, after.byteLength]);
      allocateWith(undefined);
      assert.notEqual(allocate(5).buffer, arena.buffer);
    });
  }

  it("allocateLinear gives words in whole pages of a shared Memory, with a dead stride before and after", () => {
    for (const [words, pages] of [
      [0, 1],
      [2 ** 14 - 2 * STRIDE_WORDS, 1],
      [2 ** 14 - 2 * STRIDE_WORDS + 1, 2],
    ] as const) {
      const { linear, memory } = allocateLinear(words);
      assert.equal(linear.buffer.byteLength, pages * 2 ** 16, `${words} words`);
      assert.equal(memory.buffer, linear.buffer);
      assert.equal(memory.length, Math.max(1, words));
      assert.equal(memory.byteOffset, STRIDE_BYTES);
      assert.ok(memory.every((word) => word === 0));
    }
  });

  it("allocateLinear takes the Memory that another allocator gives", () => {
    const arena = new Arena();
    allocateWith(arena);
    assert.equal(allocateLinear(10).linear, arena.memory);
    assert.deepEqual(arena.asked, [1]);
  });
});

describe("wholeStrides", () => {
  it("rounds up to a stride", () => {
    const sizes = [0, 1, STRIDE_WORDS, STRIDE_WORDS + 1];
    assert.deepEqual(sizes.map(wholeStrides), [0, STRIDE_WORDS, STRIDE_WORDS, 2 * STRIDE_WORDS]);
  });
});

/** One buffer for all, and a note of what was asked for: bytes, or pages. */
class Arena implements Allocator {
  readonly asked: number[] = [];
  readonly buffer = new SharedArrayBuffer(2 ** 12);
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  #used = 0;

  bytes(length: number) {
    this.asked.push(length);
    const byteOffset = this.#used;
    this.#used += Math.ceil(length / STRIDE_BYTES) * STRIDE_BYTES;
    return { buffer: this.buffer, byteOffset };
  }

  linear(pages: number) {
    this.asked.push(pages);
    return this.memory;
  }
}
