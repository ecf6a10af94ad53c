import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SyncMessagePort } from "sync-message-port";
import { check } from "../index.ts";
import { openQueue, Port, type Queue, receiveFromPorts } from "./port.ts";

/**
 * sync-message-port: a MessagePort whose messages another thread can wait for.
 *
 * Promise: `receiveMessage` "blocks and returns the next message", and throws once the channel is closed and all messages
 * are drained. `receiveMessageIfAvailable` "does *not* block".
 * Visited completely: two messages and a close, received by three calls that block, or by one that does not and two that
 * do. Its MessagePort is stood in for by a queue in shared memory.
 * Found: `receiveMessageIfAvailable` blocks for ever, if the sender was terminated when it had posted a message and not
 * yet counted it.
 */
receiveFromPorts();
const shared = openQueue(2, 16);
const attach = (queue: Queue, thread: number) => {
  const buffers = thread === 0 ? queue.buffers : queue.buffers.toReversed();
  return new SyncMessagePort(new Port(queue, buffers) as never);
};
const post = (message: number) => (port: SyncMessagePort) => port.postMessage(message);
const close = (port: SyncMessagePort) => port.close();
const receive = (port: SyncMessagePort) => port.receiveMessage({ closedValue: "closed" });
const receiveIfAvailable = (port: SyncMessagePort) => port.receiveMessageIfAvailable()?.message;

describe("sync-message-port", () => {
  it("delivers what was posted before the channel closed", () => {
    const sends = [post(1), post(2), close];
    check({
      shared,
      attach,
      threads: [sends, [receive, receive, receive]],
      end: (_, { results }) => assert.deepEqual(results[1], [1, 2, "closed"]),
    });
    check({
      shared,
      attach,
      threads: [sends.slice(1), [receiveIfAvailable, receive, receive]],
      end(_, { results: [, received] }) {
        const [first, ...rest] = received!;
        assert.deepEqual(rest, first === 2 ? ["closed", "closed"] : [2, "closed"]);
      },
    });
  });

  it("blocks where it says that it does not", () => {
    const program = { shared, attach, threads: [post(1), receiveIfAvailable], dies: 0 };
    assert.throws(() => check(program), {
      promise: "deadlock",
      message: /thread 1 waits for words 0..1 of buffers/,
    });
  });
});
