import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RingBuffer } from "ringbuf.js";
import { check, type Seen } from "../index.ts";

/**
 * ringbuf.js: a ring buffer from one thread to another.
 *
 * Promise: "A Single Producer - Single Consumer thread-safe wait-free ring buffer". So what was pushed is popped, once and
 * in order.
 * Visited completely: three pushes and three pops of one or two bytes through a ring of two; plain
 * accesses as weak as ECMAScript allows.
 * Found: `writeCallback` publishes the whole stretch if its callback says that nothing was written. No schedule is needed.
 */
const ringOf = (buffer: SharedArrayBuffer) => new RingBuffer(buffer, Uint8Array);

describe("ringbuf.js", () => {
  it("passes bytes once and in order", () => {
    const push = (bytes: number[]) => (ring: RingBuffer) => ring.push(Uint8Array.from(bytes));
    const pop = (ring: RingBuffer) => {
      const bytes = new Uint8Array(2);
      return bytes.slice(0, ring.pop(bytes));
    };
    const received = (buffer: SharedArrayBuffer, { results }: Seen) =>
      [...(results[1] as Uint8Array[]), pop(ringOf(buffer))].flatMap((bytes) => [...bytes]);
    const batches = [[1, 2], [3], [4, 5]];
    check(
      {
        shared: RingBuffer.getStorageForCapacity(2, Uint8Array) as SharedArrayBuffer,
        attach: ringOf,
        threads: [batches.map(push), [pop, pop, pop]],
        end(buffer, seen) {
          const accepted = batches.flatMap((bytes, at) => bytes.slice(0, seen.results[0]![at] as number));
          assert.deepEqual(received(buffer, seen), accepted);
        },
        sometimes: {
          "everything is received": (buffer, seen) => received(buffer, seen).length === 5,
          "the ring is full": (_, { results }) => results[0]!.includes(0),
        },
      },
      { weak: true },
    );
  });

  it("publishes what a callback has not written", () => {
    const program = {
      shared: RingBuffer.getStorageForCapacity(2, Uint8Array) as SharedArrayBuffer,
      attach: ringOf,
      threads: [(ring: RingBuffer) => ring.writeCallback(2, () => 0)],
      end: (_: SharedArrayBuffer, { results }: Seen) => assert.deepEqual(results, [[0]]),
    };
    assert.throws(() => check(program), { promise: "end" });
  });
});
