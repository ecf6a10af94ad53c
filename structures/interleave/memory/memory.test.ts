import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BYTE, HALF, LONG, type Perform, WORD } from "./access.ts";
import { wordsOf } from "./memory.ts";

const shared = (bytes: number) => new SharedArrayBuffer(bytes);

describe("words of a program's memory", () => {
  it("are those of all its buffers, each from an even word on", () => {
    const [odd, small] = [shared(12), shared(5)];
    const memory = {
      head: new Int32Array(odd, 4, 1),
      rest: [small, new DataView(small), { flags: new Uint8Array(small, 1) }],
      size: 3,
      again: odd,
    };
    new Int32Array(odd).set([1, -2, 3]);
    new Uint8Array(small).set([1, 0, 0, 0, 255]);
    const words = wordsOf(memory);
    assert.deepEqual([...words.initial], [1, -2, 3, 0, 1, 255]);
    assert.equal(words.length, 6);
  });

  it("have stand-ins of the same shape", () => {
    const buffer = shared(24);
    const views = { head: new Int32Array(buffer, 8, 1), long: new BigInt64Array(buffer, 16), buffer };
    const memory = { views, same: views, list: [new DataView(buffer, 4, 4)], size: 5 };
    const seen: unknown[] = [];
    const perform: Perform = (kind, word, _operand, _other, lane = WORD) => {
      seen.push([kind, word, lane]);
      return lane === LONG ? 7n : 7;
    };
    const standing = wordsOf(memory).standIns(perform);
    assert.equal(standing.same, standing.views);
    assert.equal(standing.views.head.buffer, standing.views.buffer);
    assert.equal(standing.list[0]!.buffer, standing.views.buffer);
    assert.equal(standing.size, 5);
    assert.deepEqual(
      [standing.views.head[0], standing.views.long[0], standing.list[0]!.getInt32(0, true)],
      [7, 7n, 7],
    );
    assert.deepEqual(seen, [
      ["read", 2, WORD],
      ["read", 4, LONG],
      ["read", 1, WORD],
    ]);
    assert.deepEqual([standing.views.head.length, standing.list[0]!.byteOffset], [1, 4]);
  });

  it("have copies of the same shape, with contents that are written anew", () => {
    const buffer = shared(7);
    const memory = { bytes: new Uint8Array(buffer), other: new Float64Array(shared(8)) };
    memory.bytes.set([1, 2, 3, 4, 5, 6, 7]);
    const words = wordsOf(memory);
    const { memory: copy, write } = words.copy();
    assert.deepEqual([...copy.bytes], [1, 2, 3, 4, 5, 6, 7]);
    assert.notEqual(copy.bytes.buffer, buffer);
    assert.ok(copy.bytes.buffer instanceof SharedArrayBuffer);
    write(Int32Array.of(0x0403_0201, -0x0102_0304, 0, 0x3ff0_0000));
    assert.deepEqual([...copy.bytes, ...copy.other], [1, 2, 3, 4, 0xfc, 0xfc, 0xfd, 1]);
    copy.other[0] = 5;
    write(words.initial);
    assert.deepEqual([...copy.bytes, ...copy.other], [1, 2, 3, 4, 5, 6, 7, 0]);
    assert.deepEqual([...memory.bytes], [1, 2, 3, 4, 5, 6, 7]);
    const whole = wordsOf(new Int32Array(shared(8)));
    const { memory: only, write: writeOnly } = whole.copy();
    writeOnly(Int32Array.of(4, 5));
    assert.deepEqual([...only], [4, 5]);
  });

  it("have names", () => {
    const buffer = shared(64);
    const memory = {
      head: new Int32Array(buffer, 0, 1),
      slots: new Int32Array(buffer, 4, 3),
      nested: { longs: new BigInt64Array(buffer, 16, 2), bits: [new Uint8Array(buffer, 32, 4)] },
      "the header": new DataView(buffer, 36, 8),
    };
    const { nameOf } = wordsOf(memory);
    const named = (word: number, lane: number, name: string) => assert.equal(nameOf(word, lane), name);
    named(0, WORD, "head");
    named(0, BYTE + 3, "byte 3 of head");
    named(2, WORD, "slots[1]");
    named(2, HALF + 2, "bytes 2..3 of slots[1]");
    named(2, LONG, "slots[1..2]");
    named(4, LONG, "nested.longs[0]");
    named(7, WORD, "bytes 4..7 of nested.longs[1]");
    named(8, BYTE + 2, "nested.bits[0][2]");
    named(8, HALF, "nested.bits[0][0..1]");
    named(10, HALF, 'bytes 4..5 of ["the header"]');
    named(12, WORD, "word 12 of head.buffer");
    named(12, LONG, "words 12..13 of head.buffer");
    named(12, BYTE + 1, "byte 49 of head.buffer");
    const all = wordsOf({
      all: new Int32Array(buffer),
      tail: new Int32Array(buffer, 4, 1),
      flags: new Uint8Array(buffer, 8, 4),
    });
    assert.deepEqual(
      [all.nameOf(0, WORD), all.nameOf(1, WORD), all.nameOf(2, WORD), all.nameOf(2, BYTE + 1)],
      ["all[0]", "tail", "all[2]", "flags[1]"],
    );
    const lone = { lock: shared(8), word: shared(8) };
    assert.equal(wordsOf(lone).nameOf(2, WORD), "word 0 of word");
    assert.equal(wordsOf(buffer).nameOf(1, BYTE + 1), "byte 5 of buffer");
    for (const [view, name] of [
      [new Int32Array(buffer, 0, 1), "words[0]"],
      [new Uint8Array(buffer), "bytes[0..3]"],
      [[new Int32Array(buffer)], "[0][0]"],
      [new DataView(buffer), "bytes 0..3 of view"],
    ] as const)
      assert.equal(wordsOf<unknown>(view).nameOf(0, WORD), name);
  });

  it("are refused, with a reason, where they are no shared memory", () => {
    class Ring extends Int32Array {}
    class Queue {
      readonly words = new Int32Array(shared(4));
    }
    for (const [wrong, says] of [
      [5, /^this is a number and no shared memory: share a SharedArrayBuffer/],
      [{}, /^there is no shared memory/],
      [{ queue: new Queue() }, /^queue is a Queue and no shared memory/],
      [{ list: [() => 1] }, /^list\[0\] is a function and no/],
      [new Int32Array(4), /^this is a view of private memory/],
      [{ ring: new Ring(shared(8) as unknown as ArrayBuffer) }, /^ring is a Ring: share its buffer instead/],
      [Buffer.from(shared(8)), /^this is a Buffer: share its buffer/],
      [{ log: new SharedArrayBuffer(8, { maxByteLength: 16 }) }, /^the memory of log can grow/],
    ] as const)
      assert.throws(() => wordsOf<unknown>(wrong), { name: "TypeError", message: says });
  });
});
