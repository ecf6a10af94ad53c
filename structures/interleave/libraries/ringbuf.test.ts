import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ParameterReader, ParameterWriter, RingBuffer } from "ringbuf.js";
import { check, type Seen } from "../index.ts";

/**
 * ringbuf.js: a ring buffer from one thread to another.
 *
 * Promise: "A Single Producer - Single Consumer thread-safe wait-free ring buffer". So what was pushed is popped, once and
 * in order. A parameter change arrives whole.
 * Visited completely: three pushes and three pops of one or two bytes through a ring of two; two parameter changes
 * through a ring for one.
 * Found: `writeCallback` publishes the whole stretch if its callback says that nothing was written. No schedule is needed.
 */
const ringOf = (buffer: SharedArrayBuffer) => new RingBuffer(buffer, Uint8Array);

describe("ringbuf.js", () => {
  it("passes bytes once and in order", () => {
    const push =
      (...bytes: number[]) =>
      (ring: RingBuffer) =>
        ring.push(Uint8Array.from(bytes));
    const pop = (ring: RingBuffer) => {
      const bytes = new Uint8Array(2);
      return bytes.slice(0, ring.pop(bytes));
    };
    const received = (buffer: SharedArrayBuffer, { results }: Seen) =>
      [...(results[1] as Uint8Array[]), pop(ringOf(buffer))].flatMap((bytes) => [...bytes]);
    const batches = [[1, 2], [3], [4, 5]];
    check({
      shared: RingBuffer.getStorageForCapacity(2, Uint8Array) as SharedArrayBuffer,
      attach: ringOf,
      threads: [batches.map((bytes) => push(...bytes)), [pop, pop, pop]],
      end(buffer, seen) {
        const accepted = batches.flatMap((bytes, at) => bytes.slice(0, seen.results[0]![at] as number));
        assert.deepEqual(received(buffer, seen), accepted);
      },
      sometimes: {
        "everything is received": (buffer, seen) => received(buffer, seen).length === 5,
        "the ring is full": (_, { results }) => results[0]!.includes(0),
      },
    });
  });

  it("passes a parameter change whole", () => {
    const change = (index: number, value: number) => (ring: RingBuffer) =>
      new ParameterWriter(ring).enqueue_change(index, value);
    const receive = (ring: RingBuffer) => {
      const into = { index: 0, value: 0 };
      return new ParameterReader(ring).dequeue_change(into) ? into : undefined;
    };
    const whole = [undefined, { index: 1, value: 0.5 }, { index: 2, value: -8 }];
    check({
      shared: RingBuffer.getStorageForCapacity(5, Uint8Array) as SharedArrayBuffer,
      attach: ringOf,
      threads: [
        [change(1, 0.5), change(2, -8)],
        [receive, receive],
      ],
      end: (_, { results: [, got] }) => {
        for (const one of got!) assert.ok(whole.some((change) => isDeepStrictEqual(one, change)));
      },
      sometimes: { "both arrive": (_, { results }) => !results[1]!.includes(undefined) },
    });
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
