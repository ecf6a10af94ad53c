import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { check } from "../index.ts";

/**
 * sync-message: a page writes a message, and a worker that waits for it reads it.
 *
 * Promise: `readMessage` returns what was written, if messages are written and read one at a time.
 * Visited completely: one message; and two, the second written when the reader has asked for it.
 * Found: the second `readMessage` may be woken by the first `writeMessage`, and throws a SyntaxError.
 */
Object.assign(globalThis, { self: globalThis });
const { makeAtomicsChannel, readMessage, writeMessageAtomics } = createRequire(import.meta.url)(
  "sync-message",
) as typeof import("sync-message");

const shared = {
  channel: makeAtomicsChannel({ bufferSize: 4 }),
  asked: new Int32Array(new SharedArrayBuffer(4)),
};
type Shared = typeof shared;

const write = (message: number) => (own: Shared) => writeMessageAtomics(own.channel, message);
const read = (own: Shared): unknown => readMessage(own.channel, "");

describe("sync-message", () => {
  it("passes a message", () => {
    check<Shared>({
      shared,
      threads: [write(7), read],
      end: (_, { results }) => assert.deepEqual(results[1], [7]),
    });
  });

  it("lets a reader that asks again be woken by the message before", () => {
    const program = {
      shared,
      threads: [
        (own: Shared) => {
          write(7)(own);
          Atomics.wait(own.asked, 0, 0);
          write(8)(own);
        },
        (own: Shared) => {
          const first = read(own);
          Atomics.store(own.asked, 0, 1);
          Atomics.notify(own.asked, 0);
          return [first, read(own)];
        },
      ],
    };
    assert.throws(() => check<Shared>(program), { promise: "thrown", message: /SyntaxError/ });
  });
});
