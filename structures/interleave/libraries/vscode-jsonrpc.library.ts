import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedArrayReceiverStrategy, SharedArraySenderStrategy } from "vscode-jsonrpc";
import { check } from "../index.ts";

/**
 * vscode-jsonrpc: cancels a request in another thread through four shared bytes.
 *
 * Promise: the receiver sees that a request is cancelled, and from then on; requests that are not cancelled go on.
 * Visited completely: two requests, of which the second is cancelled, and a receiver that asks twice for each.
 * Found: nothing.
 */
describe("vscode-jsonrpc", () => {
  it("cancels the request that is meant, for good", () => {
    const sender = new SharedArraySenderStrategy();
    const shared = [1, 2].map((id) => {
      const request: { id: number; $cancellationData?: SharedArrayBuffer } = { id };
      sender.enableCancellation(request as never);
      return { id, $cancellationData: request.$cancellationData! };
    });
    type Shared = typeof shared;
    const isCancelled = (at: number) => (requests: Shared) =>
      new SharedArrayReceiverStrategy().createCancellationTokenSource(requests[at]! as never).token
        .isCancellationRequested;
    const cancel = (requests: Shared) => {
      const own = new SharedArraySenderStrategy();
      for (const { id, $cancellationData } of requests)
        Reflect.get(own, "buffers").set(id, $cancellationData);
      own.sendCancellation(undefined as never, 2).catch(() => {});
    };
    check<Shared>({
      shared,
      threads: [cancel, [isCancelled(0), isCancelled(1), isCancelled(0), isCancelled(1)]],
      end(requests, { results: [, seen] }) {
        const [one, early, again, late] = seen!;
        assert.deepEqual([one, again, isCancelled(1)(requests)], [false, false, true]);
        assert.ok(!early || late);
      },
      sometimes: { "it is seen": (_, { results }) => results[1]![3] === true },
    });
  });
});
