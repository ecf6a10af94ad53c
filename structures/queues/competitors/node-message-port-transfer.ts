import type { MessagePort } from "node:worker_threads";
import type { QueuesCompetitor } from "../queues.contract.ts";
import nodeMessagePort from "./node-message-port.ts";

/**
 * Node's own with a transfer list: the buffer of each frame moves to the consumer.
 *
 * Promise: that of node-message-port.
 * Progress: blocking, as node-message-port.
 * Threads: one producer and one consumer.
 * Cost: that of node-message-port, with one copy to a buffer of its own in place of the clone, and a transfer.
 * Memory: of the runtime, without bound.
 * Limits: those of node-message-port.
 * Bet: from some length on, to move a buffer is cheaper than to clone it.
 * Source: Node.js, worker_threads, port.postMessage(value, transferList).
 */
export default {
  ...nodeMessagePort,
  summary: "MessagePort of Node: the buffer of each frame is transferred",
  source: "Node.js, worker_threads, postMessage with a transfer list",
  variantOf: "node-message-port",

  sender(_memory, _setup, _worker, end) {
    const port = end as MessagePort;
    return {
      trySend(frame) {
        const own = frame.slice();
        port.postMessage(own, [own.buffer as ArrayBuffer]);
        return true;
      },
    };
  },
} satisfies QueuesCompetitor;
