import assert from "node:assert/strict";
import { describe, it } from "node:test";
import workerThreads from "node:worker_threads";
import { SyncMessagePort } from "sync-message-port";
import { check } from "../index.ts";

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
const shared = {
  counters: [new SharedArrayBuffer(16), new SharedArrayBuffer(16)],
  queue: { begin: words(1), end: words(1), messages: words(2) },
};
type Shared = typeof shared;
function words(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * length));
}

/** One end of a channel in which only thread 0 sends. */
class Port {
  readonly #shared: Shared;
  readonly #first: SharedArrayBuffer[];

  constructor(shared: Shared, thread: number) {
    this.#shared = shared;
    this.#first = thread === 0 ? [...shared.counters] : shared.counters.toReversed();
  }

  postMessage(message: number): void {
    const { end, messages } = this.#shared.queue;
    const at = Atomics.load(end, 0);
    messages[at] = message;
    Atomics.store(end, 0, at + 1);
  }

  receive(): { readonly message: unknown } | undefined {
    if (this.#first.length > 0) return { message: this.#first.shift() };
    const { begin, end, messages } = this.#shared.queue;
    const at = begin[0]!;
    if (at === Atomics.load(end, 0)) return undefined;
    begin[0] = at + 1;
    return { message: messages[at] };
  }

  on(): void {}
  close(): void {}
}
workerThreads.receiveMessageOnPort = (port) => (port as unknown as Port).receive();

const attach = (shared: Shared, thread: number) => new SyncMessagePort(new Port(shared, thread) as never);
const post = (message: number) => (port: SyncMessagePort) => port.postMessage(message);
const close = (port: SyncMessagePort) => port.close();
const receive = (port: SyncMessagePort) => port.receiveMessage({ closedValue: "closed" });
const receiveIfAvailable = (port: SyncMessagePort) => port.receiveMessageIfAvailable()?.message;

describe("sync-message-port", () => {
  it("delivers what was posted before the channel closed", () => {
    check({
      shared,
      attach,
      threads: [
        [post(1), post(2), close],
        [receive, receive, receive],
      ],
      end: (_, { results }) => assert.deepEqual(results[1], [1, 2, "closed"]),
    });
    check({
      shared,
      attach,
      threads: [
        [post(1), close],
        [receiveIfAvailable, receive, receive],
      ],
      end(_, { results: [, received] }) {
        const [first, ...rest] = received!;
        assert.deepEqual(rest, first === 1 ? ["closed", "closed"] : [1, "closed"]);
      },
    });
  });

  it("blocks where it says that it does not", () => {
    const program = { shared, attach, threads: [post(1), receiveIfAvailable], dies: 0 };
    assert.throws(() => check(program), {
      promise: "deadlock",
      message: /thread 1 waits for words 0..1 of counters/,
    });
  });
});
