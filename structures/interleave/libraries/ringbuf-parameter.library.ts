import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ParameterReader, ParameterWriter, RingBuffer } from "ringbuf.js";
import { check } from "../index.ts";

/**
 * ringbuf.js: changes of parameters, an index and a number of 32 bits each, through its ring buffer of bytes.
 *
 * Promise: from one thread to another, a change arrives whole.
 * Visited completely: three changes of five bytes each through a ring of seven; plain accesses as weak as ECMAScript
 * allows.
 * Found: nothing.
 */
describe("parameter changes of ringbuf.js", () => {
  it("passes a parameter change whole", () => {
    const change = (index: number, value: number) => (ring: RingBuffer) =>
      new ParameterWriter(ring).enqueue_change(index, value);
    const receive = (ring: RingBuffer) => {
      const into = { index: 0, value: 0 };
      return new ParameterReader(ring).dequeue_change(into) ? into : undefined;
    };
    const whole = [undefined, ...[1, 2, 3].map((index) => ({ index, value: index / 2 }))];
    check(
      {
        shared: RingBuffer.getStorageForCapacity(7, Uint8Array) as SharedArrayBuffer,
        attach: (buffer) => new RingBuffer(buffer, Uint8Array),
        threads: [
          [change(1, 0.5), change(2, 1), change(3, 1.5)],
          [receive, receive, receive],
        ],
        end: (_, { results: [, got] }) => {
          for (const one of got!) assert.ok(whole.some((change) => isDeepStrictEqual(one, change)));
        },
        sometimes: { "all arrive": (_, { results }) => !results[1]!.includes(undefined) },
      },
      { weak: true },
    );
  });
});
